// The host's clocks that answer for the target: which they are, and how its time and the host's correspond.
#pragma once

#include <time.h>

#include <cstdint>
#include <optional>

#include "base/time.h"
#include "wire/table.h"

namespace emu::mpi {

// Which time the calling thread is shown.
enum class Time {
  host,      // the host's: nothing is emulated, or a library below the program asks
  rank,      // its rank's: a thread that calls MPI
  beside,    // its own, of a thread that never calls MPI (process/own_clock.h)
  standing,  // its rank's, as it is, in some signal handlers (process/signals.cc)
  after,  // MPI_Finalize is over, or another thread is in it: as much after the rank's last instant as passes on the host
};
// Whether or not EMU_HOST_CLOCKS is set.
Time time_of_caller();
// The same for the host's clocks: with EMU_HOST_CLOCKS, they are the host's.
Time shown_time();
// The calling thread is shown its rank's time.
inline bool virtual_clocks() { return shown_time() == Time::rank; }
// What the calling thread is shown, at no cost. `call` is a literal.
Instant instant_of(Time time, const char* call);

// Whether `clock` tells time, and so answers for the target; others, of CPU time, stay the host's.
bool tells_time(clockid_t clock);

std::int64_t host_nanoseconds(clockid_t clock);
// What `clock` shows at the virtual instant `now`.
std::int64_t nanoseconds_at(clockid_t clock, Instant now);

void read_host_clocks(wire::ClockReadings& readings);

}  // namespace emu::mpi
