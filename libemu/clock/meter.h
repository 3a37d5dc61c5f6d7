// The seam to the CPU meter: how much compute a rank did between two calls.
#pragma once

#include "base/time.h"

namespace emu::clock {

// Virtual time of the work that the program does outside the library.
class Meter {
 public:
  virtual ~Meter() = default;
  // The program runs from here on.
  virtual void start() = 0;
  // The program's work since start(), or since the last take(), in virtual time. The meter goes on.
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
  // `speed` of the rank's CPU on the target, relative to the reference CPU.
  explicit DeclaredMeter(double speed) : speed_(speed) {}
  void start() override {}
  Interval take() override { return Interval(); }
  Interval declare(double reference_seconds) override {
    return Interval::seconds(reference_seconds / speed_);
  }
  bool measures() const override { return false; }

 private:
  double speed_;
};

// CPU time of the calling thread, scaled from this host's speed to the target's.
class CpuMeter : public Meter {
 public:
  CpuMeter(double host_speed, double target_speed)
      : scale_(host_speed / target_speed), speed_(target_speed) {}
  void start() override;
  Interval take() override;
  Interval declare(double reference_seconds) override;
  bool measures() const override { return true; }
  double scale() const { return scale_; }
  // CPU nanoseconds of the thread at the last start() or take().
  std::int64_t since() const { return since_; }

 private:
  double scale_;
  double speed_;
  std::int64_t since_ = 0;
};

// CPU time of the calling thread in nanoseconds.
std::int64_t thread_cpu_nanoseconds();

}  // namespace emu::clock
