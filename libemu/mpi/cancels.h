#pragma once

namespace emu::mpi {

// True if the program can take sends back: it, and not a library that it was linked with, names MPI_Cancel and functions that
// begin a send for which there is a request, of C's or Fortran's.
bool program_cancels_sends();

}  // namespace emu::mpi
