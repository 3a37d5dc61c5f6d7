// Sleeps: the rank's virtual clock advances, without a sleep on the host. A wait with a time-out for an event
// in the system waits on the host; if the event does not occur, the virtual clock has advanced by the time-out.
//
// Threads that may not call MPI sleep on the host, and their own clock advances by the same time (process/own_clock.h).
// All threads sleep on the host before MPI_Init, after MPI_Finalize, and if the host's clocks are not virtual.

#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "base/billion.h"
#include "base/next.h"
#include "process/call_scope.h"
#include "process/children.h"
#include "process/clocks.h"
#include "process/doubtful_calls.h"
#include "process/own_clock.h"

namespace {

using emu::billion;
using emu::Interval;
using emu::next;
using emu::mpi::NoticedSleep;

bool good(const timespec* t) { return t && t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < billion; }

// Limited to the longest interval.
Interval duration(std::int64_t seconds, std::int64_t nanoseconds) {
  const Interval most = Interval::longest();
  if (seconds >= most.picoseconds() / (1000 * billion)) return most;
  return Interval::picoseconds((seconds * billion + nanoseconds) * 1000);
}
Interval duration(const timespec& t) { return duration(t.tv_sec, t.tv_nsec); }

// Other threads may have advanced the rank's clock since the instant at which this thread begins to sleep.
emu::Instant began(emu::Instant now) {
  const bool several = emu::mpi::process->threading.monitor && emu::mpi::ThreadRegistry::several();
  return several ? std::min(now, emu::mpi::caller.came) : now;
}

// The calling rank sleeps for `d`. Returns false, without effect, if the caller sleeps by the host's clock.
bool slept(const char* call, Interval d) {
  if (!emu::mpi::active() || emu::mpi::inside() || emu::mpi::process->environment.host_clocks) return false;
  emu::mpi::sleep_until_child(d);
  const emu::mpi::CallScope scope(call);
  const emu::Instant now = scope.rank().now(), until = began(now) + d;
  if (until > now) scope.rank().sleep(until - now);
  return true;
}

// The rank waits in the system for an event, at most for `d`: `wait()` returns 0 if it did not occur.
template <class Wait>
int wait_for(const char* call, Interval d, Wait wait) {
  const int result = wait();
  const int error = errno;
  if (result == 0 && emu::mpi::virtual_clocks()) slept(call, d);
  if (result == 0) emu::mpi::own_clock_passes(d);
  errno = error;
  return result;
}

// A thread that may call MPI, but has not, sleeps like one that has. Otherwise each moment in
// which it is awake would hold the rank at its clock; of many threads, one is always awake.
bool sleeps_with_rank() {
  using emu::mpi::Time;
  const Time shown = emu::mpi::shown_time();
  return shown == Time::rank ||
         (shown == Time::own_clock && emu::mpi::process->threading.monitor && !emu::mpi::inside());
}

constexpr Interval milliseconds(int n) { return Interval::picoseconds(n * billion); }

}  // namespace

extern "C" unsigned sleep(unsigned seconds) {
  static const auto real = next<unsigned(unsigned)>(__func__);
  if (slept(__func__, duration(seconds, 0))) return 0;
  const NoticedSleep counted(duration(seconds, 0));
  return real(seconds);
}

extern "C" int usleep(useconds_t microseconds) {
  static const auto real = next<int(useconds_t)>(__func__);
  if (slept(__func__, duration(0, std::int64_t{microseconds} * 1000))) return 0;
  const NoticedSleep counted(duration(0, std::int64_t{microseconds} * 1000));
  return real(microseconds);
}

// Nothing interrupts a sleep here, so no time is `left`.
extern "C" int nanosleep(const timespec* wanted, timespec* left) {
  static const auto real = next<int(const timespec*, timespec*)>(__func__);
  if (good(wanted) && slept(__func__, duration(*wanted))) return 0;
  const NoticedSleep counted(good(wanted) ? duration(*wanted) : Interval());
  return real(wanted, left);
}

extern "C" int thrd_sleep(const timespec* wanted, timespec* left) {
  static const auto real = next<int(const timespec*, timespec*)>(__func__);
  if (good(wanted) && slept(__func__, duration(*wanted))) return 0;
  const NoticedSleep counted(good(wanted) ? duration(*wanted) : Interval());
  return real(wanted, left);
}

extern "C" int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  static const auto real = next<decltype(clock_nanosleep)>(__func__);
  if (good(time) && emu::mpi::tells_time(clock) && sleeps_with_rank()) {
    if (!(flags & TIMER_ABSTIME)) {
      slept(__func__, duration(*time));
      return 0;
    }
    const emu::mpi::CallScope scope(__func__);
    const std::int64_t from = emu::mpi::nanoseconds_at(clock, scope.rank().now());
    const Interval until = duration(time->tv_sec - from / billion, time->tv_nsec - from % billion);
    if (until <= Interval()) return 0;
    emu::mpi::sleep_until_child(until);
    scope.rank().sleep(until);
    return 0;
  }
  const emu::mpi::Time shown = emu::mpi::tells_time(clock) ? emu::mpi::shown_time() : emu::mpi::Time::host;
  if (!good(time) || shown == emu::mpi::Time::host || !(flags & TIMER_ABSTIME)) {
    const NoticedSleep counted(good(time) ? duration(*time) : Interval());
    return real(clock, flags, time, left);
  }
  // Until an instant of the clock that the thread reads.
  const std::int64_t from = emu::mpi::nanoseconds_at(clock, emu::mpi::instant_of(shown, __func__));
  const std::int64_t rest = time->tv_sec * billion + time->tv_nsec - from;
  if (rest <= 0) return 0;
  const timespec pause{rest / billion, rest % billion};
  const NoticedSleep counted(duration(pause));
  return real(clock, 0, &pause, nullptr);
}

// --- waits for an event in the system; without an event: sleeps

extern "C" int poll(pollfd* files, nfds_t count, int timeout) {
  static const auto real = next<int(pollfd*, nfds_t, int)>(__func__);
  if (timeout <= 0) return real(files, count, timeout);
  if (count == 0 && slept(__func__, milliseconds(timeout))) return 0;
  return wait_for(__func__, milliseconds(timeout), [&] { return real(files, count, timeout); });
}

extern "C" int ppoll(pollfd* files, nfds_t count, const timespec* timeout, const sigset_t* signals) {
  static const auto real = next<int(pollfd*, nfds_t, const timespec*, const sigset_t*)>(__func__);
  if (!good(timeout)) return real(files, count, timeout, signals);
  if (count == 0 && !signals && slept(__func__, duration(*timeout))) return 0;
  return wait_for(__func__, duration(*timeout), [&] { return real(files, count, timeout, signals); });
}

extern "C" int select(int count, fd_set* read, fd_set* write, fd_set* except, timeval* timeout) {
  static const auto real = next<int(int, fd_set*, fd_set*, fd_set*, timeval*)>(__func__);
  if (!timeout || timeout->tv_sec < 0 || timeout->tv_usec < 0)
    return real(count, read, write, except, timeout);
  const Interval d = duration(timeout->tv_sec, timeout->tv_usec * 1000);
  if ((count == 0 || (!read && !write && !except)) && slept(__func__, d)) {
    *timeout = {};
    return 0;
  }
  return wait_for(__func__, d, [&] { return real(count, read, write, except, timeout); });
}

extern "C" int pselect(int count, fd_set* read, fd_set* write, fd_set* except, const timespec* timeout,
                       const sigset_t* signals) {
  static const auto real =
      next<int(int, fd_set*, fd_set*, fd_set*, const timespec*, const sigset_t*)>(__func__);
  if (!good(timeout)) return real(count, read, write, except, timeout, signals);
  if (count == 0 && !signals && slept(__func__, duration(*timeout))) return 0;
  return wait_for(__func__, duration(*timeout),
                  [&] { return real(count, read, write, except, timeout, signals); });
}

extern "C" int epoll_wait(int file, epoll_event* events, int most, int timeout) {
  static const auto real = next<int(int, epoll_event*, int, int)>(__func__);
  if (timeout <= 0) return real(file, events, most, timeout);
  return wait_for(__func__, milliseconds(timeout), [&] { return real(file, events, most, timeout); });
}
