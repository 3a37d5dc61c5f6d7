#include "wire/watch.h"

#include <signal.h>

#include <chrono>
#include <utility>

namespace emu::wire {

using namespace std::chrono_literals;

// The new thread takes no signals: they are for the program's own threads.
Watch::Watch(SharedWire& wire, std::function<void(int)> lost) : wire_(wire), lost_(std::move(lost)) {
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
  while (!changed_.wait_for(lock, 500ms, over)) {
    const auto rank = wire_.lost_rank();
    if (!rank) continue;
    if (changed_.wait_for(lock, 1s, over)) return;
    lock.unlock();
    return lost_(*rank);
  }
}

}  // namespace emu::wire
