// Interface of the CPU meter: the compute of a rank between two calls.
#pragma once

#include <cstdint>

#include "base/time.h"
#include "clock/thread_clock.h"

namespace emu::clock {

// Work of the program outside the library, as the time that the reference CPU would take for it.
// The rank's CPU may take another time, which depends on its speed at that instant (model/speed.h).
class Meter {
 public:
  virtual ~Meter() = default;
  // The program runs from here on.
  virtual void start() = 0;
  // The program's work since start(), or since the last take(). The meter continues.
  virtual Interval take() = 0;
  // The program declares the cost of its work since the last take() on the reference CPU. The declaration replaces the
  // measured value.
  virtual Interval declare(double reference_seconds) = 0;
  // True if time passes while the program computes without a declaration.
  virtual bool measures() const = 0;
};

// Counts declared work only.
class DeclaredMeter : public Meter {
 public:
  [[gnu::hot]] void start() override {}
  [[gnu::hot]] Interval take() override { return Interval(); }
  [[gnu::hot]] Interval declare(double reference_seconds) override {
    return Interval::seconds(reference_seconds);
  }
  [[gnu::hot]] bool measures() const override { return false; }
};

// CPU time of the calling thread, scaled from this host's speed to the reference CPU's, without the time that the meter
// itself takes.
class CpuMeter : public Meter {
 public:
  explicit CpuMeter(double host_speed) : host_speed_(host_speed) {}
  // A meter for another thread, with the overheads that `other` has measured.
  explicit CpuMeter(const CpuMeter& other) : host_speed_(other.host_speed_) { clock_.know(other.clock_); }
  // Measures the overhead of the meter. `between()`: other actions that always occur between start() and take().
  template <class F>
  void learn(F between) {
    clock_.learn(between);
  }
  void start() override;
  Interval take() override;
  Interval declare(double reference_seconds) override;
  bool measures() const override { return true; }
  // The thread's CPU time, by the kernel's count in nanoseconds, from which on all time will be charged: no earlier
  // than start() or take().
  std::int64_t since() const { return since_ + clock_.asking() + clock_.glancing() + owed_; }

  const ThreadClock& clock() const { return clock_; }
  // Number of readings, and the sum of the overheads subtracted, in nanoseconds.
  std::int64_t takes() const { return takes_; }
  std::int64_t taken_off() const { return taken_off_; }

 private:
  ThreadClock clock_;
  double host_speed_;
  std::int64_t since_ = 0;
  // Overhead that could not be subtracted yet: readings vary, and charged work is never negative.
  std::int64_t owed_ = 0;
  std::int64_t takes_ = 0, taken_off_ = 0;
};

// CPU time that the system took for the calling thread, in nanoseconds. The kernel counts in ticks of some
// milliseconds, so the value is meaningful for long intervals only.
std::int64_t thread_system_nanoseconds();

}  // namespace emu::clock
