// The seam to the CPU meter: how much compute a rank did between two calls.
#pragma once

#include "base/time.h"

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

// CPU time of the calling thread, scaled from this host's speed to the reference CPU's.
class CpuMeter : public Meter {
 public:
  explicit CpuMeter(double host_speed) : host_speed_(host_speed) {}
  void start() override;
  Interval take() override;
  Interval declare(double reference_seconds) override;
  bool measures() const override { return true; }
  // CPU nanoseconds of the thread at the last start() or take().
  std::int64_t since() const { return since_; }

 private:
  double host_speed_;
  std::int64_t since_ = 0;
};

// CPU time that the system took for the calling thread, in nanoseconds. The kernel counts in ticks of some
// milliseconds, so it says something of long stretches only.
std::int64_t thread_system_nanoseconds();

// CPU time of the calling thread in nanoseconds.
std::int64_t thread_cpu_nanoseconds();

}  // namespace emu::clock
