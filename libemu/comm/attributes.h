// The end of the attributes of MPI_COMM_SELF and MPI_COMM_WORLD.
#pragma once

namespace emu::mpi {

// Deletes those that the program has set, the last one first, as `call` (a literal) does before anything else. Their callbacks are the
// program's, and may call MPI.
void delete_attributes(const char* call);

}  // namespace emu::mpi
