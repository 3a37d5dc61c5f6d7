// Threads that keep cores of this host awake while ranks with measured compute wait.
//
// A core that was idle runs the next milliseconds more slowly: its clock has to rise again, or a virtual machine has
// to be scheduled again. Work that follows a wait would be measured too long. These threads have the system's idle
// priority (SCHED_IDLE): each core has one, which runs only when no other thread wants the core.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "base/failure.h"

namespace emu::clock {

// The numbers of the cores that this thread may use: of the hardware threads that share a core, the first one. At most
// `most` hardware threads are considered.
std::vector<int> usable_cores(int most);

class AwakeCores {
 public:
  // `wanted` tells if a core that is idle has to run. It is called often, on threads of this object; a thread that gets
  // no CPU time may call it once more after the object has ended.
  AwakeCores(const std::vector<int>& cores, std::function<bool()> wanted);
  // The threads sleep as soon as they get CPU time, which may take long, and end with the process.
  ~AwakeCores();
  AwakeCores(const AwakeCores&) = delete;
  AwakeCores& operator=(const AwakeCores&) = delete;

  // Fails, with the reason, where such threads would do harm.
  static Result<void> possible();
  // Waits until each thread has its priority and its core. Fails if the system refuses them, or after `patience`.
  Result<void> begun(std::chrono::milliseconds patience) const;
  const std::vector<std::thread>& threads() const { return threads_; }

 private:
  struct State {
    std::function<bool()> wanted;
    std::atomic<bool> over = false;
    std::atomic<int> begun = 0, refused = 0;  // threads; the error of a refusal
  };
  static void run(State& state, int core);

  const std::shared_ptr<State> state_;
  std::vector<std::thread> threads_;
};

// The time that work takes on a core that has just been idle, over the time that it takes on one that has not: the
// median of several pairs, in 20 ms. 1 if the cores of this host are too busy to be idle.
double cold_factor();

}  // namespace emu::clock
