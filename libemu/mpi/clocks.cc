// What the program may ask about time: MPI's clock, and the host's, which answer for the target as well
// unless EMU_HOST_CLOCKS is set.

#include "mpi/clocks.h"

#include <mpi.h>
#include <sys/time.h>

#include "base/billion.h"
#include "base/next.h"
#include "mpi/entry.h"
#include "mpi/noticed.h"

namespace {

using emu::billion;
using emu::next;
using emu::mpi::nanoseconds_at;
using emu::mpi::tells_time;
using emu::mpi::virtual_clocks;

// The virtual instant at which the program reads a clock.
emu::Instant read_clock(const char* call) {
  const emu::mpi::Entry entry(call);
  return entry.rank().read_clock();
}

int real_clock_gettime(clockid_t clock, timespec* t) {
  static const auto function = next<int(clockid_t, timespec*)>("clock_gettime");
  return function(clock, t);
}

std::int64_t virtual_nanoseconds(clockid_t clock) {
  const std::int64_t told = nanoseconds_at(clock, read_clock("clock_gettime"));
  if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI)
    emu::mpi::noticed_date(told / billion);
  return told;
}

}  // namespace

namespace emu::mpi {

// Threads that never call MPI know nothing of the rank's time.
bool virtual_clocks() {
  return active() && !inside() && (process->thread == this_thread() || caller.calls) &&
         !process->environment.host_clocks;
}

bool tells_time(clockid_t clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_TAI:
      return true;
    default:
      return false;
  }
}

std::int64_t host_nanoseconds(clockid_t clock) {
  timespec t;
  real_clock_gettime(clock, &t);
  return t.tv_sec * billion + t.tv_nsec;
}

std::int64_t nanoseconds_at(clockid_t clock, Instant now) {
  return process->wire->clocks_at_zero()[static_cast<std::size_t>(clock)] + now.picoseconds() / 1000;
}

void read_host_clocks(wire::ClockReadings& readings) {
  for (std::size_t i = 0; i < readings.size(); ++i)
    if (const auto clock = static_cast<clockid_t>(i); tells_time(clock))
      readings[i] = host_nanoseconds(clock);
}

}  // namespace emu::mpi

extern "C" double MPI_Wtime() {
  if (!emu::mpi::active() || emu::mpi::inside()) return PMPI_Wtime();
  return read_clock("MPI_Wtime").seconds();
}

extern "C" double MPI_Wtick() {
  if (!emu::mpi::active() || emu::mpi::inside()) return PMPI_Wtick();
  return 1e-12;
}

extern "C" int clock_gettime(clockid_t clock, timespec* t) noexcept {
  if (!tells_time(clock) || !virtual_clocks()) {
    const int result = real_clock_gettime(clock, t);
    // The thread's own CPU time is read by the meter, too.
    if (result == 0 && clock != CLOCK_THREAD_CPUTIME_ID)
      emu::mpi::noticed_host_clock(clock == CLOCK_REALTIME ? t->tv_sec : 0);
    return result;
  }
  const std::int64_t now = virtual_nanoseconds(clock);
  t->tv_sec = now / billion;
  t->tv_nsec = now % billion;
  return 0;
}

extern "C" int gettimeofday(timeval* t, void* zone) noexcept {
  static const auto real = next<int(timeval*, void*)>("gettimeofday");
  if (!virtual_clocks()) {
    const int result = real(t, zone);
    emu::mpi::noticed_host_clock(t->tv_sec);
    return result;
  }
  const std::int64_t now = virtual_nanoseconds(CLOCK_REALTIME);
  t->tv_sec = now / billion;
  t->tv_usec = now % billion / 1000;
  return 0;
}

extern "C" time_t time(time_t* t) noexcept {
  static const auto real = next<time_t(time_t*)>("time");
  if (!virtual_clocks()) {
    const time_t date = real(t);
    emu::mpi::noticed_host_clock(date);
    return date;
  }
  const time_t now = virtual_nanoseconds(CLOCK_REALTIME) / billion;
  if (t) *t = now;
  return now;
}

// The CPU time of this process: the host's, whatever the target.
extern "C" clock_t clock() noexcept {
  static const auto real = next<clock_t()>("clock");
  emu::mpi::noticed_host_clock(0);
  return real();
}

extern "C" int timespec_get(timespec* t, int base) noexcept {
  if (base != TIME_UTC) return 0;
  clock_gettime(CLOCK_REALTIME, t);
  return base;
}
