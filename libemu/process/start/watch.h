// Periodic check on a thread of its own, for as long as an object exists. The thread takes no signals: they are for the
// program's own threads.
#pragma once

#include <pthread.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace emu::mpi {

class Watch {
 public:
  // Called once a period until it returns a function. That function is called `delay` later, unless the object has been
  // destroyed by then.
  using Check = std::function<std::function<void()>()>;
  Watch(std::chrono::milliseconds period, std::chrono::milliseconds delay, Check check);
  ~Watch();
  Watch(const Watch&) = delete;

  // The thread of the checks.
  pthread_t thread() const { return const_cast<std::thread&>(thread_).native_handle(); }

 private:
  void run();

  const std::chrono::milliseconds period_, delay_;
  const Check check_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace emu::mpi
