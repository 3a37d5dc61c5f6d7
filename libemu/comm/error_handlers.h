// Error handlers that the program made. MPICH keeps them, and calls them where it finds an error; where libemu does, it has to call them
// itself, since what a handler makes of the code is what the program's call returns, and MPICH does not tell it.
#pragma once

#include <mpi.h>

#include <optional>

namespace emu::mpi {

// Has `handler` called for the communicator, window or file at `object`, whatever it was made for. What it makes of `code`; nothing,
// if it is not one that the program made.
std::optional<int> call_handler(MPI_Errhandler handler, void* object, int code);

}  // namespace emu::mpi
