// Processes that the program starts between MPI_Init and MPI_Finalize.
#pragma once

#include "base/time.h"
#include "record/doubts.h"

namespace emu::mpi {

// How many there were by now, and how much of what they did counted.
void add_children(record::Doubts& doubts);

// The program sleeps for `d`. Where processes that it has started run, the host's time goes on meanwhile, until one of them is over: a
// program that looks for its end now and then does not do so more often than it would natively.
void sleep_beside_children(Interval d);

}  // namespace emu::mpi
