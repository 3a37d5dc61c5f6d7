#pragma once

namespace emu::mpi {

// True if the program, or a library it loaded, can call emu_compute(): it refers to the symbol behind it.
bool program_declares_compute();

// True if it can make windows, for one-sided communication: it refers to a function that does, of C's or Fortran's.
bool program_makes_windows();

// True if it can take sends back: it, and not a library that it was linked with, refers to MPI_Cancel and to functions that begin a
// send for which there is a request, of C's or Fortran's.
bool program_cancels_sends();

// True if it can move the shared pointer of a file for one rank alone.
bool program_shares_pointers();

}  // namespace emu::mpi
