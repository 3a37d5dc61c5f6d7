// Quick end of a forked rank.
//
// exit() runs the destructors of all loaded objects. Those of MPICH and of the libraries behind it release what the
// kernel releases anyway, and write to many pages that the rank shares with other ranks until then. So a rank ends after
// the destructors of the program, and before those of the libraries that libemu needs (process/exit.cc). It ends in the
// usual way if it has loaded any other object, such as a library of the program.
#pragma once

#include "process/fork/needed_objects.h"

namespace emu::mpi {

// Determines whether the ranks may end quickly. Called by the first process, before it forks them.
void allow_quick_end(const LoadedObjects& objects);

// True if this process is a rank that may end quickly.
bool may_end_quickly();

}  // namespace emu::mpi
