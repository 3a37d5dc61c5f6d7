// Periodic check that all ranks of a node still run. A process manager that has started all ranks of a job ends the
// others when one ends unexpectedly; if several helpers of a manager have started them, each may end only its own
// ranks.
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
  // `lost` is called with the number of a lost rank, on another thread and one second
  // later: the process manager knows better how to end the job. `wire` outlives the object.
  Watch(SharedWire& wire, std::function<void(int)> lost);
  ~Watch();
  Watch(const Watch&) = delete;

  // The thread of the checks.
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
