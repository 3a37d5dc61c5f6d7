#include "process/threads/shared_memory_promises.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "process/process.h"

namespace emu::mpi {

namespace {

// CPU nanoseconds without a call after which a declaring program is assumed to spin: at first, and later.
constexpr std::int64_t first_patience = 1'000'000'000, patience = 50'000'000;

// Number of the caller: the program's first thread, unless another thread creates a window.
pid_t number_of_caller() {
  return process->threading.main == this_thread() ? static_cast<pid_t>(syscall(SYS_gettid)) : getpid();
}

}  // namespace

SharedMemory::SharedMemory()
    : program_(reinterpret_cast<pthread_t>(process->threading.main)), number_(number_of_caller()) {
  rank_.lock();
  caller.memory_turns = 1;
  const OwnThreads own;
  thread_ = std::thread([this] { run(); });
}

SharedMemory::~SharedMemory() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_one();
  thread_.join();
  if (std::exchange(caller.memory_turns, 0) > 0) rank_.unlock();
}

void SharedMemory::take() {
  if (caller.memory_turns++ > 0) return;
  rank_.lock();
  ++calls_;
}

void SharedMemory::give() {
  if (caller.memory_turns > 0 && --caller.memory_turns == 0) rank_.unlock();
}

// The checks are rare while the program calls.
void SharedMemory::run() {
  using std::chrono::microseconds;
  constexpr microseconds soon(200), most(16'000);
  microseconds pause = most;
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, pause, [this] { return over_; })) {
    const std::unique_lock rank(rank_, std::try_to_lock);
    pause = rank && look() ? soon : std::min(2 * pause, most);
  }
}

std::int64_t SharedMemory::cpu() const {
  clockid_t clock;
  timespec used{};
  if (pthread_getcpuclockid(program_, &clock) == 0) clock_gettime(clock, &used);
  return used.tv_sec * 1'000'000'000 + used.tv_nsec;
}

bool SharedMemory::spins(std::int64_t used) {
  if (spins_) return true;
  const std::string waits = waits_for_shared_word(number_);
  const bool still = !waits.empty() && waits == std::exchange(waits_, waits);
  spins_ = still || used > (has_spun_ ? patience : first_patience);
  if (!spins_) return false;
  if (!still) ++process->doubts.spun;
  has_spun_ = has_spun_ || !still;
  return true;
}

bool SharedMemory::look() {
  const bool several = process->threading.monitor &&
                       ThreadRegistry::several();  // then waiting threads make the promises (rank/monitor.h)
  if (several || process->life.finished) return false;
  const std::int64_t now = cpu();
  if (calls_ != seen_) {
    seen_ = calls_;
    cpu_ = now;
    spins_ = false;
    waits_.clear();
    return false;
  }
  if (!process->transport.wire->wanted()) return spins_;
  rank::Rank& rank = *process->rank;
  const std::int64_t used = now - cpu_;
  Instant most = Instant::never();
  if (process->metering.meter->measures())
    most = rank.reaches(rank.now(), process->scaled(used));
  else if (!spins(used))
    return true;
  promised_ = std::max(promised_, rank.promise(most));
  return true;
}

}  // namespace emu::mpi
