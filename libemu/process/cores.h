// Restriction of the ranks to some of the host's cores, and their scheduling there.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "base/failure.h"
#include "clock/awake_cores.h"

namespace emu::mpi {

// Confines this thread to the first `count` CPUs of those that it may use (all of them if there
// are fewer), and lets it run on when another rank wakes (SCHED_BATCH). Ranks with little work
// between messages then cost about half the CPU time: no wake crosses cores, and a rank that sends
// to many is not interrupted by each. Virtual time is not affected. Fails if the system refuses.
Result<void> share_cores(int count);

// Keeps the cores that this thread may use awake while `waiting` tells that a rank of this host waits, until the object
// or the process ends. `count`: as above, if the ranks are confined but this thread is not. Null if that is impossible
// here. One process of a host calls this: the first process of forked ranks (process/fork/fork_start.cc), or the first
// rank (Process::keep_awake).
std::unique_ptr<clock::AwakeCores> keep_cores_awake(std::optional<int> count, std::function<bool()> waiting);

}  // namespace emu::mpi
