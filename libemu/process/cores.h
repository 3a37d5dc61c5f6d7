// Restriction of the ranks to some of the host's cores, and their scheduling there.
#pragma once

#include "base/failure.h"

namespace emu::mpi {

// Confines this thread to the first `count` CPUs of those that it may use (all of them if there
// are fewer), and lets it run on when another rank wakes (SCHED_BATCH). Ranks with little work
// between messages then cost about half the CPU time: no wake crosses cores, and a rank that sends
// to many is not interrupted by each. Virtual time is not affected. Fails if the system refuses.
Result<void> share_cores(int count);

}  // namespace emu::mpi
