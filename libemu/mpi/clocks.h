// The host's clocks that answer for the target: which they are, and how its time and the host's correspond.
#pragma once

#include <time.h>

#include <cstdint>

#include "base/time.h"
#include "wire/table.h"

namespace emu::mpi {

// The calling thread is shown the target's time: the program's own call, in the thread that calls MPI.
bool virtual_clocks();
// Whether `clock` tells time, and so answers for the target; others, of CPU time, stay the host's.
bool tells_time(clockid_t clock);

std::int64_t host_nanoseconds(clockid_t clock);
// What `clock` shows at the virtual instant `now`.
std::int64_t nanoseconds_at(clockid_t clock, Instant now);

void read_host_clocks(wire::ClockReadings& readings);

}  // namespace emu::mpi
