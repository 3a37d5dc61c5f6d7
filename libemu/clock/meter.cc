#include "clock/meter.h"

#include <cmath>
#include <ctime>

namespace emu::clock {

std::int64_t thread_cpu_nanoseconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * std::int64_t{1'000'000'000} + t.tv_nsec;
}

void CpuMeter::start() { since_ = thread_cpu_nanoseconds(); }

Interval CpuMeter::take() {
  const std::int64_t now = thread_cpu_nanoseconds();
  const double nanoseconds = static_cast<double>(now - since_) * scale_;
  since_ = now;
  return Interval::picoseconds(std::llround(nanoseconds * 1000.0));
}

Interval CpuMeter::declare(double reference_seconds) {
  since_ = thread_cpu_nanoseconds();
  return Interval::seconds(reference_seconds / speed_);
}

}  // namespace emu::clock
