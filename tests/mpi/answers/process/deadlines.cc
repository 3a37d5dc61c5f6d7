// Waits with a deadline take as long on the host as the program intends, however far the target's time is ahead. After
// a timeout, the clock shows the deadline. Sleeping takes the target's time only.
#include <dlfcn.h>
#include <emu/emu.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
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

// The host's time, whatever clock_gettime() returns: calls the function of the C library.
double host_seconds() {
  using Read = int(clockid_t, timespec*);
  static Read* const read =
      reinterpret_cast<Read*>(dlsym(dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD), "clock_gettime"));
  timespec t;
  read(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
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

// `wait` reports a timeout, and if possible the time on the clock.
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

// A wait that is signalled ends at once, long before its deadline.
void signalled() {
  std::mutex mutex;
  std::condition_variable condition;
  bool done = false;
  std::thread other;
  std::unique_lock lock(mutex);
  waits("signalled", [&] {
    other = std::thread([&] {  // gets the lock while this thread waits
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
}

// Waits on a pipe to which nothing is written.
void durations() {
  int ends[2];
  if (pipe(ends) != 0) return show("pipe", false);
  waits("poll", [&] {
    pollfd file{ends[0], POLLIN, 0};
    return poll(&file, 1, 50) == 0;
  });
  waits("ppoll", [&] {
    pollfd file{ends[0], POLLIN, 0};
    const timespec time{0, 50'000'000};
    return ppoll(&file, 1, &time, nullptr) == 0;
  });
  const auto set_of = [&](int file) {
    fd_set set;
    FD_ZERO(&set);
    FD_SET(file, &set);
    return set;
  };
  waits("select", [&] {
    timeval time{0, 50'000};
    fd_set set = set_of(ends[0]);
    return select(ends[0] + 1, &set, nullptr, nullptr, &time) == 0;
  });
  waits("pselect", [&] {
    const timespec time{0, 50'000'000};
    fd_set set = set_of(ends[0]);
    return pselect(ends[0] + 1, &set, nullptr, nullptr, &time, nullptr) == 0;
  });
  waits("epoll_wait", [&] {
    const int file = epoll_create1(0);
    epoll_event event{};
    epoll_ctl(file, EPOLL_CTL_ADD, ends[0], &event);
    const bool right = epoll_wait(file, &event, 1, 50) == 0;
    close(file);
    return right;
  });
  // Data that is already there takes no time.
  const double begin = MPI_Wtime();
  pollfd file{ends[1], POLLOUT, 0};
  show("poll of what is there", poll(&file, 1, 50'000) == 1 && MPI_Wtime() - begin < 1);
  close(ends[0]);
  close(ends[1]);
  waits("futex", [] {
    std::uint32_t word = 0;
    const timespec time{0, 50'000'000};
    return syscall(SYS_futex, &word, 0 /* FUTEX_WAIT */, 0, &time, nullptr, 0) == -1 && errno == ETIMEDOUT;
  });
}

// A thousand seconds in all: on the target; natively, a thousandth of them.
void sleeps() {
  const double scale = emu_active() ? 1 : 1e-3;
  const auto time = [&](double seconds) {
    const auto n = static_cast<long long>(seconds * scale * 1e9);
    return timespec{n / 1'000'000'000, n % 1'000'000'000};
  };
  const double begin = MPI_Wtime(), here = host_seconds();
  if (emu_active()) show("sleep", sleep(200) == 0);
  if (!emu_active()) show("sleep", usleep(200'000) == 0);
  show("usleep", usleep(static_cast<useconds_t>(100e6 * scale)) == 0);
  timespec t = time(100), left = t;
  show("nanosleep", nanosleep(&t, &left) == 0);
  show("thrd_sleep", thrd_sleep(&t, nullptr) == 0);
  show("clock_nanosleep", clock_nanosleep(CLOCK_REALTIME, 0, &t, nullptr) == 0);
  t = after(CLOCK_MONOTONIC, std::chrono::nanoseconds(static_cast<long long>(100e9 * scale)));
  show("clock_nanosleep up to an instant",
       clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr) == 0 && passed(CLOCK_MONOTONIC, t));
  std::this_thread::sleep_for(std::chrono::duration<double>(100 * scale));
  std::this_thread::sleep_until(std::chrono::steady_clock::now() +
                                std::chrono::duration<double>(100 * scale));
  timeval none{0, static_cast<suseconds_t>(50e6 * scale)};
  if (emu_active()) none = {50, 0};
  show("select of nothing", select(0, nullptr, nullptr, nullptr, &none) == 0);
  show("poll of nothing", poll(nullptr, 0, static_cast<int>(50'000 * scale)) == 0);
  t = {0, 1'000'000'000};
  show("too many nanoseconds", nanosleep(&t, nullptr) == -1 && errno == EINVAL);
  show("of a clock of the CPU",
       clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &(t = {0, 1000}), nullptr) == EINVAL);
  const double took = MPI_Wtime() - begin;
  show("a thousand seconds", took >= 999.9 * scale && (!emu_active() || took < 1000.1));
  show("  and no more than some here", host_seconds() - here < 100);
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
    // All deadlines and durations above are on the virtual clock (eleven and five), except those of system calls.
    const double now = MPI_Wtime();
    if (now < 1000.8 || now > 1000.85) show("virtual time", static_cast<long long>(now * 1e6));
  }
  sleeps();
  MPI_Barrier(MPI_COMM_WORLD);
}
