// Looks now and then whether all ranks of a node still run. A process manager that has started all of a job ends the others
// when one goes without a word; but where several of its helpers have, each may end only its own.
#pragma once

#include <pthread.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "wire/shared_wire.h"

namespace emu::wire {

class Watch {
 public:
  // `lost` gets the rank that is gone, on another thread, a second later: the process manager knows better how the job
  // is to end. `wire` outlives this.
  Watch(SharedWire& wire, std::function<void(int)> lost);
  ~Watch();
  Watch(const Watch&) = delete;

  // On which it looks.
  pthread_t thread() const { return const_cast<std::thread&>(thread_).native_handle(); }

 private:
  void run();

  SharedWire& wire_;
  std::function<void(int)> lost_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace emu::wire
