#include "process/start/watch.h"

#include <signal.h>

#include <utility>

namespace emu::mpi {

Watch::Watch(std::chrono::milliseconds period, std::chrono::milliseconds delay, Check check)
    : period_(period), delay_(delay), check_(std::move(check)) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Watch::~Watch() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Watch::run() {
  std::unique_lock lock(mutex_);
  const auto over = [this] { return over_; };
  while (!changed_.wait_for(lock, period_, over)) {
    const auto found = check_();
    if (!found) continue;
    if (changed_.wait_for(lock, delay_, over)) return;
    lock.unlock();
    return found();
  }
}

}  // namespace emu::mpi
