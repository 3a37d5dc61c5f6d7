// Waits that end at an instant of a clock take as long on the host as the program meant, however far the target's
// time is ahead; and when such a wait has timed out, the clock shows that.
#include <emu/emu.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <mutex>
#include <thread>

#include "answers.h"

namespace {

using namespace std::chrono_literals;

constexpr auto shortly = 50ms;

// The host's, whatever clock_gettime() says.
double host_seconds() {
  double seconds = 0;
  std::thread([&] {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    seconds = static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  }).join();
  return seconds;
}

timespec after(clockid_t clock, std::chrono::nanoseconds d) {
  timespec t;
  clock_gettime(clock, &t);
  const long long n = t.tv_nsec + d.count();
  return {t.tv_sec + n / 1'000'000'000, n % 1'000'000'000};
}

bool passed(clockid_t clock, const timespec& at) {
  timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec > at.tv_sec || (t.tv_sec == at.tv_sec && t.tv_nsec >= at.tv_nsec);
}

// `wait` says whether it timed out, and, where it can be said, that the clock shows it.
void waits(const char* name, const std::function<bool()>& wait) {
  const double begin = host_seconds();
  const bool right = wait();
  const double took = host_seconds() - begin;
  show(name, right);
  show("  not too short", took >= 0.049);
  show("  not as long as the target's time", took < 500);
}

void condition_variables() {
  std::mutex mutex;
  std::condition_variable condition;
  std::condition_variable_any any;
  std::unique_lock lock(mutex);
  waits("wait_for", [&] {
    const auto until = std::chrono::steady_clock::now() + shortly;
    return condition.wait_for(lock, shortly) == std::cv_status::timeout &&
           std::chrono::steady_clock::now() >= until;
  });
  waits("wait_for with a predicate",
        [&] { return !condition.wait_for(lock, shortly, [] { return false; }); });
  waits("wait_until, system_clock", [&] {
    const auto until = std::chrono::system_clock::now() + shortly;
    return condition.wait_until(lock, until) == std::cv_status::timeout &&
           std::chrono::system_clock::now() >= until;
  });
  waits("condition_variable_any", [&] { return !any.wait_for(lock, shortly, [] { return false; }); });
  pthread_cond_t monotonic;
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&monotonic, &attributes);
  waits("pthread_cond_timedwait, monotonic", [&] {
    const timespec at = after(CLOCK_MONOTONIC, shortly);
    return pthread_cond_timedwait(&monotonic, mutex.native_handle(), &at) == ETIMEDOUT &&
           passed(CLOCK_MONOTONIC, at);
  });
  cnd_t plain;
  mtx_t plain_mutex;
  cnd_init(&plain);
  mtx_init(&plain_mutex, mtx_plain);
  mtx_lock(&plain_mutex);
  waits("cnd_timedwait", [&] {
    const timespec at = after(CLOCK_REALTIME, shortly);
    return cnd_timedwait(&plain, &plain_mutex, &at) == thrd_timedout && passed(CLOCK_REALTIME, at);
  });
}

// One that is signalled ends then, long before its deadline.
void signalled() {
  std::mutex mutex;
  std::condition_variable condition;
  bool done = false;
  std::thread other;
  std::unique_lock lock(mutex);
  waits("signalled", [&] {
    other = std::thread([&] {  // comes to the lock while this thread waits
      std::this_thread::sleep_for(shortly);
      const std::lock_guard guard(mutex);
      done = true;
      condition.notify_one();
    });
    return condition.wait_for(lock, 3000s, [&] { return done; });
  });
  lock.unlock();
  other.join();
}

void locks() {
  std::mutex mutex;
  mutex.lock();
  waits("pthread_mutex_timedlock", [&] {
    const timespec at = after(CLOCK_REALTIME, shortly);
    return pthread_mutex_timedlock(mutex.native_handle(), &at) == ETIMEDOUT && passed(CLOCK_REALTIME, at);
  });
  waits("pthread_mutex_clocklock", [&] {
    const timespec at = after(CLOCK_MONOTONIC, shortly);
    return pthread_mutex_clocklock(mutex.native_handle(), CLOCK_MONOTONIC, &at) == ETIMEDOUT;
  });
  mutex.unlock();
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  waits("sem_timedwait", [&] {
    const timespec at = after(CLOCK_REALTIME, shortly);
    return sem_timedwait(&semaphore, &at) == -1 && errno == ETIMEDOUT && passed(CLOCK_REALTIME, at);
  });
  waits("sem_clockwait", [&] {
    const timespec at = after(CLOCK_MONOTONIC, shortly);
    return sem_clockwait(&semaphore, CLOCK_MONOTONIC, &at) == -1 && errno == ETIMEDOUT;
  });
  std::promise<void> done;
  waits("future", [&] { return done.get_future().wait_for(shortly) == std::future_status::timeout; });
  waits("clock_nanosleep up to an instant", [&] {
    const timespec at = after(CLOCK_MONOTONIC, shortly);
    return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr) == 0 && passed(CLOCK_MONOTONIC, at);
  });
}

void durations() {
  waits("poll", [] { return poll(nullptr, 0, 50) == 0; });
  waits("select", [] {
    timeval time{0, 50'000};
    return select(0, nullptr, nullptr, nullptr, &time) == 0;
  });
  waits("futex", [] {
    std::uint32_t word = 0;
    const timespec time{0, 50'000'000};
    return syscall(SYS_futex, &word, 0 /* FUTEX_WAIT */, 0, &time, nullptr, 0) == -1 && errno == ETIMEDOUT;
  });
}

}  // namespace

int main(int argc, char** argv) {
  const Answers me(&argc, &argv);
  emu_compute(1000);
  condition_variables();
  signalled();
  locks();
  durations();
  if (emu_active()) {
    // The twelve deadlines that came are on the virtual clock, and the durations are not.
    const double now = MPI_Wtime();
    if (now < 1000.6 || now > 1000.65) show("virtual time", static_cast<long long>(now * 1e6));
  }
  MPI_Barrier(MPI_COMM_WORLD);
}
