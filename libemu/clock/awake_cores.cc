#include "clock/awake_cores.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include "clock/thread_clock.h"

namespace emu::clock {

namespace {

// Not by the C library's function: libemu replaces that.
void sleep_for(std::int64_t nanoseconds) {
  const timespec pause{0, static_cast<long>(nanoseconds)};
  syscall(SYS_nanosleep, &pause, nullptr);
}

// Work of `steps` steps, each of which depends on the one before: it leaves most of the core's units to other hardware
// threads of the core.
[[gnu::noinline]] void work(std::int64_t steps) {
  std::uint64_t x = 1;
  for (std::int64_t i = 0; i < steps; ++i) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    asm volatile("" : "+r"(x));
  }
}

std::int64_t work_time(std::int64_t steps) {
  const std::int64_t begin = thread_cpu_nanoseconds();
  work(steps);
  return thread_cpu_nanoseconds() - begin;
}

// The first hardware thread of the core of `cpu`; `cpu` itself if the system does not tell.
int first_sibling(int cpu) {
  std::ifstream in("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list");
  int first = cpu;
  return in >> first ? first : cpu;
}

// True if the control group of this process, or one above it, has a limit on CPU time.
bool limited() {
  std::ifstream own("/proc/self/cgroup");
  for (std::string line; std::getline(own, line);) {
    if (!line.starts_with("0::")) continue;
    for (std::string group = line.substr(3);; group.erase(group.rfind('/'))) {
      std::ifstream in("/sys/fs/cgroup" + group + "/cpu.max");
      std::string quota;
      if (in >> quota && quota != "max") return true;
      if (group.empty() || group.rfind('/') == std::string::npos) break;
    }
  }
  return false;
}

}  // namespace

std::vector<int> usable_cores(int most) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return {};
  std::vector<int> cores, seen;
  for (int cpu = 0; cpu < CPU_SETSIZE && most > 0; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed)) continue;
    --most;
    const int core = first_sibling(cpu);
    if (std::find(seen.begin(), seen.end(), core) != seen.end()) continue;
    seen.push_back(core);
    cores.push_back(cpu);
  }
  return cores;
}

// A thread cannot leave the idle priority again without privileges, so none tries it here.
Result<void> AwakeCores::possible() {
  if (limited()) return fail("a limit on CPU time would count them (cpu.max of the control group)");
  return {};
}

// The threads take no signals: those are for the program's own.
AwakeCores::AwakeCores(const std::vector<int>& cores, std::function<bool()> wanted)
    : state_(std::make_shared<State>()) {
  state_->wanted = std::move(wanted);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    for (const int core : cores) threads_.emplace_back([state = state_, core] { run(*state, core); });
  } catch (const std::system_error& error) {  // the other cores may be idle
    state_->refused = error.code().value();
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

AwakeCores::~AwakeCores() {
  state_->over = true;
  for (std::thread& thread : threads_) thread.detach();
}

Result<void> AwakeCores::begun(std::chrono::milliseconds patience) const {
  constexpr std::int64_t step = 100'000;
  for (std::int64_t left = patience.count() * 1'000'000; left > 0; left -= step) {
    if (const int error = state_->refused; error != 0)
      return fail(std::string("the system refuses threads of idle priority: ") + std::strerror(error));
    if (state_->begun == static_cast<int>(threads_.size())) return {};
    sleep_for(step);
  }
  return fail("the cores are busy");
}

// The kernel takes the core away from this thread as soon as another one wants it. So the thread must hold no lock that
// another one may want: it calls nothing of the C library that could, and does not end before its process.
void AwakeCores::run(State& state, int core) {
  constexpr std::int64_t steps = 20'000;     // about 30 us
  constexpr std::int64_t pause = 1'000'000;  // ns
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(static_cast<std::size_t>(core), &only);
  const sched_param none{};
  if (sched_setaffinity(0, sizeof only, &only) != 0 || sched_setscheduler(0, SCHED_IDLE, &none) != 0) {
    state.refused = errno;
    return;
  }
  ++state.begun;
  while (!state.over) {
    if (state.wanted())
      work(steps);
    else
      sleep_for(pause);
  }
  for (;;) ::pause();
}

double cold_factor() {
  using namespace std::chrono;
  constexpr int pairs = 7;
  constexpr std::int64_t wanted = 400'000, pause = 2'000'000;  // ns
  constexpr auto patience = milliseconds(100);
  const auto begin = steady_clock::now();
  std::int64_t steps = 10'000;
  work(steps);
  steps = std::clamp<std::int64_t>(steps * wanted / std::max<std::int64_t>(1, work_time(steps)), 10'000,
                                   10'000'000);
  std::array<double, pairs> ratios{};
  for (double& ratio : ratios) {
    work(steps / 2);
    const std::int64_t warm = work_time(steps);
    sleep_for(pause);
    ratio = static_cast<double>(work_time(steps)) / static_cast<double>(std::max<std::int64_t>(1, warm));
    if (steady_clock::now() - begin > patience) return 1;
  }
  std::nth_element(ratios.begin(), ratios.begin() + pairs / 2, ratios.end());
  return ratios[pairs / 2];
}

}  // namespace emu::clock
