// Calls of the program's error handlers; mpi/errors.h says when. MPICH keeps them, and calls them for errors that it
// finds. libemu calls them itself for its own errors, because the program's call returns the code that the handler
// sets, which MPICH does not report.
#pragma once

#include <mpi.h>

#include <optional>

namespace emu::mpi {

// Calls `handler` for the communicator, window or file at `object`. Returns the code that it sets; nothing, if the
// program did not create it.
std::optional<int> call_handler(MPI_Errhandler handler, void* object, int code);

}  // namespace emu::mpi
