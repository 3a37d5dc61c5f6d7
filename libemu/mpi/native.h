// The MPI library behind libemu.
//
// libemu exports MPI_X and PMPI_X: Fortran 2008 programs, and C programs that poll with PMPI_Iprobe, call PMPI_X
// directly. So inside libemu, the linker renames each call of PMPI_X to __wrap_PMPI_X (generated,
// functions/real_functions.cc.in), which asks the dynamic linker for the next PMPI_X after libemu's own. Code of libemu
// simply calls PMPI_X, which also works in a unit test without the shim.
#pragma once

namespace emu::mpi {

// The next definition of `name` after libemu in the program's order of symbol lookup. Ends the
// process if there is none.
void* find_real(const char* name);

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(find_real(name));
}

}  // namespace emu::mpi
