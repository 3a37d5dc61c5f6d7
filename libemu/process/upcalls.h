// Functions that a process needs from MPI, and from MPICH behind libemu: this folder does not use <mpi.h>.
// mpi/init.cc defines them, except where a comment names another file.
#pragma once

#include "rank/rank.h"

namespace emu::mpi {

// Starts MPICH for all ranks that this process forks later, for any thread level. False: MPICH has reported an error.
[[nodiscard]] bool start_mpich();
// Ends MPICH at a rank that has failed, whatever it was doing.
void end_mpich();

// MPI_TAG_UB of MPICH.
int largest_tag();

// Handles windows that the program has not freed: other ranks may need this rank's memory until they call it, too.
// (rma/windows.cc)
void leave_windows(rank::Rank& rank);

}  // namespace emu::mpi
