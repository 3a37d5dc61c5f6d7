// On how many of the host's cores the ranks run, and how they take turns there.
#pragma once

#include "base/failure.h"

namespace emu::mpi {

// Confines this thread to the first `count` CPUs of those it may use (all of them if there are fewer) and
// lets it run on when another rank wakes (SCHED_BATCH). Ranks that do little between two messages then cost
// about half the CPU time: no wake crosses cores, and a rank that has work for many is not interrupted by each.
// Virtual time does not notice. Failure if the system refuses.
Result<void> share_cores(int count);

}  // namespace emu::mpi
