// The host's clocks that show the target's time, and the correspondence of both times.
#pragma once

#include <time.h>

#include <cstdint>
#include <optional>

#include "base/time.h"
#include "wire/table.h"

namespace emu::mpi {

// Kind of time that the calling thread reads.
enum class Time {
  host,       // the host's: there is no emulation, or a library below the program asks
  rank,       // its rank's clock: a thread that calls MPI
  own_clock,  // a clock of its own: a thread that never calls MPI (process/own_clock.h)
  standing,   // its rank's clock, at no cost: some signal handlers (process/signals.cc)
  after,  // after MPI_Finalize, or while another thread is in it: the rank's last instant plus the host's time since
};
// The kind of time, whether or not EMU_HOST_CLOCKS is set.
Time time_of_caller();
// The kind of time for the host's clocks: with EMU_HOST_CLOCKS, Time::host.
Time shown_time();
// True if the calling thread reads its rank's clock.
inline bool virtual_clocks() { return shown_time() == Time::rank; }
// A reading of a clock by the calling thread, which may cost a poll. `call` is a literal. Not for Time::host.
Instant read_clock(Time time, const char* call);
// The calling thread's time, without cost. `call` is a literal.
Instant instant_of(Time time, const char* call);

// True if `clock` shows time, and therefore the target's; clocks of CPU time remain the host's.
bool tells_time(clockid_t clock);

std::int64_t host_nanoseconds(clockid_t clock);
// The value of `clock` at the virtual instant `now`.
std::int64_t nanoseconds_at(clockid_t clock, Instant now);

void read_host_clocks(wire::ClockReadings& readings);

}  // namespace emu::mpi
