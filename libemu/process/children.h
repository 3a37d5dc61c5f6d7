// Child processes that the program starts between MPI_Init and MPI_Finalize.
#pragma once

#include "base/time.h"
#include "record/doubts.h"

namespace emu::mpi {

// Adds the number of child processes so far, and their CPU time that was counted.
void add_children(record::Doubts& doubts);

// The program sleeps for `d`. While child processes run, the host's time passes during the sleep, until
// one of them ends: so a program that polls for their end does not poll more often than natively.
void sleep_until_child(Interval d);

}  // namespace emu::mpi
