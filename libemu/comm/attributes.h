// Deletion of the attributes of MPI_COMM_SELF and MPI_COMM_WORLD.
#pragma once

namespace emu::mpi {

// Deletes the attributes that the program has set, the last one first, as the first
// action of `call` (a literal). Their callbacks belong to the program, and may call MPI.
void delete_attributes(const char* call);

}  // namespace emu::mpi
