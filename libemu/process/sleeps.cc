// Sleeping: the rank's virtual clock goes on, and nobody sleeps. A rank that waits up to a time-out for something in the
// system waits for it on the host; where it does not come, the virtual clock has moved as far.
//
// Threads that may not call MPI sleep on the host, and the clock that they read goes on as long (process/own_clock.h). On the host sleeps
// everybody before MPI_Init, after MPI_Finalize, and where the host's clocks are left as they are.

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
#include "mpi/entry.h"
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

// The longest there is for what is longer.
Interval duration(std::int64_t seconds, std::int64_t nanoseconds) {
  const Interval most = Interval::longest();
  if (seconds >= most.picoseconds() / (1000 * billion)) return most;
  return Interval::picoseconds((seconds * billion + nanoseconds) * 1000);
}
Interval duration(const timespec& t) { return duration(t.tv_sec, t.tv_nsec); }

// Other threads may have had the rank go on since this one was where it begins to sleep.
emu::Instant began(emu::Instant now) {
  const bool several = emu::mpi::process->threading.turns && emu::mpi::ThreadRegistry::several();
  return several ? std::min(now, emu::mpi::caller.came) : now;
}

// The calling rank sleeps, for `d`. False, and nothing is done, if the caller sleeps by the host's clock.
bool slept(const char* call, Interval d) {
  if (!emu::mpi::active() || emu::mpi::inside() || emu::mpi::process->environment.host_clocks) return false;
  emu::mpi::sleep_beside_children(d);
  const emu::mpi::Entry entry(call);
  const emu::Instant now = entry.rank().now(), until = began(now) + d;
  if (until > now) entry.rank().sleep(until - now);
  return true;
}

// The rank waits in the system for something, for `d` at the most: `wait()` returns 0 if it did not come.
template <class Wait>
int wait_for(const char* call, Interval d, Wait wait) {
  const int result = wait();
  const int error = errno;
  if (result == 0 && emu::mpi::virtual_clocks()) slept(call, d);
  if (result == 0) emu::mpi::own_clock_passes(d);
  errno = error;
  return result;
}

// A thread that has not called MPI, but may, sleeps as one that has: otherwise each moment in which it is awake holds the rank at
// its clock, and where there are many, one always is.
bool sleeps_with_rank() {
  using emu::mpi::Time;
  const Time shown = emu::mpi::shown_time();
  return shown == Time::rank ||
         (shown == Time::beside && emu::mpi::process->threading.turns && !emu::mpi::inside());
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

// Nothing interrupts a sleep here: nothing is `left` of it.
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
    const emu::mpi::Entry entry(__func__);
    const std::int64_t from = emu::mpi::nanoseconds_at(clock, entry.rank().now());
    const Interval until = duration(time->tv_sec - from / billion, time->tv_nsec - from % billion);
    if (until <= Interval()) return 0;
    emu::mpi::sleep_beside_children(until);
    entry.rank().sleep(until);
    return 0;
  }
  const emu::mpi::Time shown = emu::mpi::tells_time(clock) ? emu::mpi::shown_time() : emu::mpi::Time::host;
  if (!good(time) || shown == emu::mpi::Time::host || !(flags & TIMER_ABSTIME)) {
    const NoticedSleep counted(good(time) ? duration(*time) : Interval());
    return real(clock, flags, time, left);
  }
  // Until an instant that the thread has from the clock which it is shown.
  const std::int64_t from = emu::mpi::nanoseconds_at(clock, emu::mpi::instant_of(shown, __func__));
  const std::int64_t rest = time->tv_sec * billion + time->tv_nsec - from;
  if (rest <= 0) return 0;
  const timespec pause{rest / billion, rest % billion};
  const NoticedSleep counted(duration(pause));
  return real(clock, 0, &pause, nullptr);
}

// --- waits for something in the system. For nothing at all: sleeps

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
