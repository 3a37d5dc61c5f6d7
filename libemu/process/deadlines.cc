// Waits up to an instant of a clock. The program computes the instant from a clock that shows the target's time, but
// the system waits by the host's. So the remaining time is waited on the host; if nothing ends the wait before, the
// virtual clock moves to the instant, as in a sleep.
// Sleeps, and waits for a duration: process/sleeps.cc.

#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <optional>

#include "base/billion.h"
#include "base/next.h"
#include "process/call_scope.h"
#include "process/clocks.h"
#include "process/own_clock.h"

namespace {

using emu::billion;
using emu::Interval;
using emu::next;
using emu::mpi::Time;

constexpr clockid_t either = -1;  // CLOCK_REALTIME or CLOCK_MONOTONIC, which only the caller's object knows

class Deadline {
 public:
  // `call` is a literal.
  Deadline(const char* call, clockid_t clock, const timespec* at) : call_(call), at_(at) {
    if (!at || at->tv_nsec < 0 || at->tv_nsec >= billion) return;
    if (clock != either && !emu::mpi::tells_time(clock)) return;
    time_ = emu::mpi::shown_time();
    if (time_ == Time::host) return;
    const emu::Instant now = emu::mpi::instant_of(time_, call);
    std::int64_t left = left_of(clock == either ? CLOCK_REALTIME : clock, now);
    if (clock == either) {  // their values are decades apart
      clock = CLOCK_REALTIME;
      if (const std::int64_t other = left_of(CLOCK_MONOTONIC, now); std::llabs(other) < std::llabs(left)) {
        left = other;
        clock = CLOCK_MONOTONIC;
      }
    }
    left = std::max<std::int64_t>(left, 0);
    instant_ = now + Interval::picoseconds(std::min(left, INT64_MAX / 4000) * 1000);
    const std::int64_t end = emu::mpi::host_nanoseconds(clock) + left;
    on_host_ = {end / billion, end % billion};
    at_ = &on_host_;
  }
  Deadline(const Deadline&) = delete;

  // The deadline for the system.
  const timespec* on_host() const { return at_; }
  // The wait has reached the deadline.
  void came() const {
    if (time_ == Time::own_clock) return emu::mpi::own_clock_comes(*instant_);
    if (time_ != Time::rank) return;
    const emu::mpi::CallScope scope(call_);
    if (const emu::Instant now = scope.rank().now(); now < *instant_) scope.rank().sleep(*instant_ - now);
  }
  int came_if(bool timed_out, int result) const {
    if (timed_out) came();
    return result;
  }

 private:
  std::int64_t left_of(clockid_t clock, emu::Instant now) const {
    return at_->tv_sec * billion + at_->tv_nsec - emu::mpi::nanoseconds_at(clock, now);
  }

  const char* call_;
  const timespec* at_;
  timespec on_host_{};
  Time time_ = Time::host;
  std::optional<emu::Instant> instant_;  // the deadline, unless the program reads the host's clock
};

// For functions that return ETIMEDOUT.
template <class Wait>
int wait(const char* call, clockid_t clock, const timespec* at, Wait until) {
  const Deadline deadline(call, clock, at);
  const int result = until(deadline.on_host());
  return deadline.came_if(result == ETIMEDOUT, result);
}

// For functions that set errno to ETIMEDOUT.
template <class Wait>
long wait_with_errno(const char* call, clockid_t clock, const timespec* at, Wait until) {
  const Deadline deadline(call, clock, at);
  const long result = until(deadline.on_host());
  const int error = errno;
  if (result == -1 && error == ETIMEDOUT) deadline.came();
  errno = error;
  return result;
}

}  // namespace

extern "C" int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* at) {
  static const auto real = next<decltype(pthread_cond_timedwait)>(__func__);
  return wait(__func__, either, at, [&](const timespec* t) { return real(condition, mutex, t); });
}

extern "C" int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                      const timespec* at) {
  static const auto real = next<decltype(pthread_cond_clockwait)>(__func__);
  return wait(__func__, clock, at, [&](const timespec* t) { return real(condition, mutex, clock, t); });
}

extern "C" int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* at) noexcept {
  static const auto real = next<decltype(pthread_mutex_timedlock)>(__func__);
  return wait(__func__, CLOCK_REALTIME, at, [&](const timespec* t) { return real(mutex, t); });
}

extern "C" int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* at) noexcept {
  static const auto real = next<decltype(pthread_mutex_clocklock)>(__func__);
  return wait(__func__, clock, at, [&](const timespec* t) { return real(mutex, clock, t); });
}

extern "C" int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* at) noexcept {
  static const auto real = next<decltype(pthread_rwlock_timedrdlock)>(__func__);
  return wait(__func__, CLOCK_REALTIME, at, [&](const timespec* t) { return real(lock, t); });
}

extern "C" int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* at) noexcept {
  static const auto real = next<decltype(pthread_rwlock_timedwrlock)>(__func__);
  return wait(__func__, CLOCK_REALTIME, at, [&](const timespec* t) { return real(lock, t); });
}

extern "C" int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock,
                                          const timespec* at) noexcept {
  static const auto real = next<decltype(pthread_rwlock_clockrdlock)>(__func__);
  return wait(__func__, clock, at, [&](const timespec* t) { return real(lock, clock, t); });
}

extern "C" int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock,
                                          const timespec* at) noexcept {
  static const auto real = next<decltype(pthread_rwlock_clockwrlock)>(__func__);
  return wait(__func__, clock, at, [&](const timespec* t) { return real(lock, clock, t); });
}

extern "C" int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* at) {
  static const auto real = next<decltype(cnd_timedwait)>(__func__);
  const Deadline deadline(__func__, CLOCK_REALTIME, at);
  const int result = real(condition, mutex, deadline.on_host());
  return deadline.came_if(result == thrd_timedout, result);
}

extern "C" int mtx_timedlock(mtx_t* mutex, const timespec* at) {
  static const auto real = next<decltype(mtx_timedlock)>(__func__);
  const Deadline deadline(__func__, CLOCK_REALTIME, at);
  const int result = real(mutex, deadline.on_host());
  return deadline.came_if(result == thrd_timedout, result);
}

extern "C" int sem_timedwait(sem_t* semaphore, const timespec* at) {
  static const auto real = next<decltype(sem_timedwait)>(__func__);
  return static_cast<int>(
      wait_with_errno(__func__, CLOCK_REALTIME, at, [&](const timespec* t) { return real(semaphore, t); }));
}

extern "C" int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* at) {
  static const auto real = next<decltype(sem_clockwait)>(__func__);
  return static_cast<int>(
      wait_with_errno(__func__, clock, at, [&](const timespec* t) { return real(semaphore, clock, t); }));
}

// The C++ library waits for futures by the system call itself. (libemu's own waits also come here.)
extern "C" [[gnu::hot]] long syscall(long number, ...) noexcept {
  static const auto real = next<decltype(syscall)>(__func__);
  va_list arguments;
  va_start(arguments, number);
  long a[6];
  for (long& argument : a) argument = va_arg(arguments, long);
  va_end(arguments);
  if (number != SYS_futex || (a[1] & FUTEX_CMD_MASK) != FUTEX_WAIT_BITSET || !a[3])
    return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  const clockid_t clock = a[1] & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC;
  return wait_with_errno("futex", clock, reinterpret_cast<const timespec*>(a[3]), [&](const timespec* t) {
    return real(number, a[0], a[1], a[2], reinterpret_cast<long>(t), a[4], a[5]);
  });
}
