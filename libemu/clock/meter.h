// The seam to the CPU meter: how much compute a rank did between two calls.
#pragma once

#include <cstdint>

#include "base/time.h"
#include "clock/thread_clock.h"

namespace emu::clock {

// What the program does outside the library, as the time that the reference CPU would take for it: how long
// the rank's own takes is a matter of its speed then (model/speed.h).
class Meter {
 public:
  virtual ~Meter() = default;
  // The program runs from here on.
  virtual void start() = 0;
  // The program's work since start(), or since the last take(). The meter goes on.
  virtual Interval take() = 0;
  // The program says what its work since the last take() costs on the reference CPU, which replaces what was
  // measured.
  virtual Interval declare(double reference_seconds) = 0;
  // True if time passes while the program computes without a declaration.
  virtual bool measures() const = 0;
};

// Only what is declared counts.
class DeclaredMeter : public Meter {
 public:
  [[gnu::hot]] void start() override {}
  [[gnu::hot]] Interval take() override { return Interval(); }
  [[gnu::hot]] Interval declare(double reference_seconds) override {
    return Interval::seconds(reference_seconds);
  }
  [[gnu::hot]] bool measures() const override { return false; }
};

// CPU time of the calling thread, scaled from this host's speed to the reference CPU's, without what the meter
// itself takes.
class CpuMeter : public Meter {
 public:
  explicit CpuMeter(double host_speed) : host_speed_(host_speed) {}
  // Another thread's, which this one's is to be: knows what that has learned.
  explicit CpuMeter(const CpuMeter& other) : host_speed_(other.host_speed_) { clock_.know(other.clock_); }
  // Finds out what the meter itself takes. `between()`: what else is always done from start() to take().
  template <class F>
  void learn(F between) {
    clock_.learn(between);
  }
  void start() override;
  Interval take() override;
  Interval declare(double reference_seconds) override;
  bool measures() const override { return true; }
  // CPU nanoseconds of the thread, as the kernel counts them, from which on all will be charged: no earlier than
  // start() or take().
  std::int64_t since() const { return since_ + clock_.asking() + clock_.glancing() + owed_; }

  const ThreadClock& clock() const { return clock_; }
  // How often it was read, and how much was taken off altogether, in nanoseconds.
  std::int64_t takes() const { return takes_; }
  std::int64_t taken_off() const { return taken_off_; }

 private:
  ThreadClock clock_;
  double host_speed_;
  std::int64_t since_ = 0;
  // What could not be taken off yet: readings take now more, now less, and work that is charged is never negative.
  std::int64_t owed_ = 0;
  std::int64_t takes_ = 0, taken_off_ = 0;
};

// CPU time that the system took for the calling thread, in nanoseconds. The kernel counts in ticks of some
// milliseconds, so it says something of long stretches only.
std::int64_t thread_system_nanoseconds();

}  // namespace emu::clock
