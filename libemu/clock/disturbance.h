// Detection that a thread has been off its CPU: switched out, moved to another CPU, or interrupted by a signal.
// Costs one memory access, by restartable sequences (Linux 4.18, glibc 2.35): the kernel sets rseq_cs to null when
// it takes the thread off its CPU outside the range that rseq_cs names. The range named here is never executed.
#pragma once

#include <cstdint>

namespace emu::clock {

class Disturbance {
 public:
  Disturbance();
  ~Disturbance();
  Disturbance(const Disturbance&) = delete;
  Disturbance& operator=(const Disturbance&) = delete;

  // True if this host supports the detection.
  bool noticed() const { return cell_ != nullptr; }
  // Begins to watch. All functions must be called by the thread that created the object.
  [[gnu::hot]] void watch() {
    if (cell_) *cell_ = never_run_;
  }
  // True if the thread has been off its CPU since the last watch(), or if that is unknown.
  [[gnu::hot]] bool any() const { return !cell_ || *cell_ != never_run_; }

 private:
  volatile std::uint64_t* cell_ = nullptr;  // rseq_cs of this thread
  std::uint64_t never_run_ = 0;             // the address of the range's description
};

}  // namespace emu::clock
