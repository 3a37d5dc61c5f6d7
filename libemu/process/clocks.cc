// The host's clocks, which show the target's time, unless EMU_HOST_CLOCKS is set.

#include "process/clocks.h"

#include <sys/time.h>
#include <sys/timeb.h>
#include <sys/times.h>
#include <unistd.h>

#include <algorithm>

#include "base/billion.h"
#include "base/next.h"
#include "process/call_scope.h"
#include "process/doubtful_calls.h"
#include "process/own_clock.h"

namespace {

using emu::billion;
using emu::Instant;
using emu::next;
using emu::mpi::nanoseconds_at;
using emu::mpi::tells_time;
using emu::mpi::Time;

int real_clock_gettime(clockid_t clock, timespec* t) {
  static const auto function = next<int(clockid_t, timespec*)>("clock_gettime");
  return function(clock, t);
}

std::int64_t virtual_nanoseconds(Time time, clockid_t clock) {
  const std::int64_t date = nanoseconds_at(clock, emu::mpi::read_clock(time, "clock_gettime"));
  if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI)
    emu::mpi::noticed_date(date / billion);
  return date;
}

}  // namespace

namespace emu::mpi {

Time time_of_caller() {
  const Process* const p = published();
  if (!p || caller.ours || (caller.depth > 0 && caller.interrupted == 0)) return Time::host;
  if (p->life.finished.load(std::memory_order_acquire)) return Time::after;
  if (caller.interrupted > 0) return Time::standing;
  return p->threading.main == this_thread() || (p->threading.monitor && caller.calls) ? Time::rank
                                                                                      : Time::own_clock;
}

Time shown_time() {
  const Time time = time_of_caller();
  return time != Time::host && process->environment.host_clocks ? Time::host : time;
}

namespace {

// A thread that read its own clock before it called MPI must not see time go back.
Instant read_rank(const char* call) {
  const CallScope scope(call);
  const Instant read = scope.rank().read_clock();
  return own_clock().begun() ? std::max(read, own_clock().now()) : read;
}

Instant after_end() {
  const std::int64_t left = process->life.left_at,
                     since = left > 0 ? host_nanoseconds(CLOCK_MONOTONIC) - left : 0;
  const Instant now = process->life.ended + Interval::picoseconds(since * 1000);
  return own_clock().begun() ? std::max(now, own_clock().now()) : now;
}

}  // namespace

Instant read_clock(Time time, const char* call) {
  if (time == Time::rank) return read_rank(call);
  if (time == Time::own_clock) return own_clock().read();
  return instant_of(time, call);
}

Instant instant_of(Time time, const char* call) {
  if (time == Time::own_clock) return own_clock().now();
  if (time == Time::after) return after_end();
  if (time == Time::standing) return process->rank->now();
  const CallScope scope(call);
  return scope.rank().now();
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
  return process->transport.wire->clocks_at_zero()[static_cast<std::size_t>(clock)] +
         now.picoseconds() / 1000;
}

void read_host_clocks(wire::ClockReadings& readings) {
  for (std::size_t i = 0; i < readings.size(); ++i)
    if (const auto clock = static_cast<clockid_t>(i); tells_time(clock))
      readings[i] = host_nanoseconds(clock);
}

}  // namespace emu::mpi

extern "C" int clock_gettime(clockid_t clock, timespec* t) noexcept {
  const Time time = tells_time(clock) ? emu::mpi::shown_time() : Time::host;
  if (time == Time::host) {
    const int result = real_clock_gettime(clock, t);
    // The meter reads the thread's CPU time, too.
    if (result == 0 && clock != CLOCK_THREAD_CPUTIME_ID)
      emu::mpi::noticed_host_clock(clock == CLOCK_REALTIME ? t->tv_sec : 0);
    return result;
  }
  const std::int64_t now = virtual_nanoseconds(time, clock);
  t->tv_sec = now / billion;
  t->tv_nsec = now % billion;
  return 0;
}

// A program may ask for the time zone alone; but glibc declares `t` nonnull, which the compiler would use.
extern "C" int gettimeofday(timeval* t, void* zone) noexcept {
  asm("" : "+r"(t));
  static const auto real = next<int(timeval*, void*)>("gettimeofday");
  const Time time = emu::mpi::shown_time();
  if (time == Time::host) {
    const int result = real(t, zone);
    emu::mpi::noticed_host_clock(t ? t->tv_sec : 0);
    return result;
  }
  if (zone) real(nullptr, zone);
  if (!t) return 0;
  const std::int64_t now = virtual_nanoseconds(time, CLOCK_REALTIME);
  t->tv_sec = now / billion;
  t->tv_usec = now % billion / 1000;
  return 0;
}

extern "C" time_t time(time_t* t) noexcept {
  static const auto real = next<time_t(time_t*)>("time");
  const Time shown = emu::mpi::shown_time();
  if (shown == Time::host) {
    const time_t date = real(t);
    emu::mpi::noticed_host_clock(date);
    return date;
  }
  const time_t now = virtual_nanoseconds(shown, CLOCK_REALTIME) / billion;
  if (t) *t = now;
  return now;
}

// The CPU time of this process: the host's, on any target.
extern "C" clock_t clock() noexcept {
  static const auto real = next<clock_t()>("clock");
  emu::mpi::noticed_host_clock(0);
  return real();
}

// Ticks since an instant in the past, from the kernel's monotonic clock; and CPU times, which are the host's.
extern "C" clock_t times(tms* used) noexcept {
  static const auto real = next<clock_t(tms*)>("times");
  static const std::int64_t tick = billion / sysconf(_SC_CLK_TCK);
  static const std::int64_t ahead = real(nullptr) * tick - emu::mpi::host_nanoseconds(CLOCK_MONOTONIC);
  const clock_t ticks = real(used);
  if (used) emu::mpi::noticed_host_clock(0);
  const Time time = emu::mpi::shown_time();
  if (time == Time::host) return ticks;
  return (virtual_nanoseconds(time, CLOCK_MONOTONIC) + ahead) / tick;
}

extern "C" int ftime(timeb* t) noexcept {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  *t = {.time = now.tv_sec,
        .millitm = static_cast<unsigned short>(now.tv_nsec / 1'000'000),
        .timezone = 0,
        .dstflag = 0};
  return 0;
}

extern "C" int timespec_get(timespec* t, int base) noexcept {
  if (base != TIME_UTC) return 0;
  clock_gettime(CLOCK_REALTIME, t);
  return base;
}
