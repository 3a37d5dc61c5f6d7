// Abilities of the program, from the symbols that it and its libraries refer to.
#pragma once

namespace emu::mpi {

// True if the program, or a library that it loaded, can call emu_compute(): it refers to the symbol.
bool program_declares_compute();

// True if it can create windows for one-sided communication: it refers to such a function of C or Fortran.
bool program_makes_windows();

// True if it can cancel sends: the program itself, not its libraries, refers to
// MPI_Cancel and to functions that begin a send with a request, of C or Fortran.
bool program_cancels_sends();

// True if it can move the shared pointer of a file for one rank individually.
bool program_shares_pointers();

// Number of objects loaded so far.
unsigned long long loaded_objects();

}  // namespace emu::mpi
