// Detection of a thread that has been off its CPU since a moment: switched out, moved to another one, or stopped for a
// signal. Costs a memory access, by restartable sequences (Linux 4.18, glibc 2.35): the kernel sets rseq_cs to null
// whenever it takes the thread off its CPU outside of the range that rseq_cs names. The range named here is never run.
#pragma once

#include <cstdint>

namespace emu::clock {

class Disturbance {
 public:
  Disturbance();
  ~Disturbance();
  Disturbance(const Disturbance&) = delete;
  Disturbance& operator=(const Disturbance&) = delete;

  // Whether this host can tell.
  bool noticed() const { return cell_ != nullptr; }
  // From here on. By the thread that made this, as is all else.
  [[gnu::hot]] void watch() {
    if (cell_) *cell_ = never_run_;
  }
  // Since the last watch(). True if it is not known.
  [[gnu::hot]] bool any() const { return !cell_ || *cell_ != never_run_; }

 private:
  volatile std::uint64_t* cell_ = nullptr;  // rseq_cs of this thread
  std::uint64_t never_run_ = 0;             // the address of the range's description
};

}  // namespace emu::clock
