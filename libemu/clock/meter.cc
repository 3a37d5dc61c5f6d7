#include "clock/meter.h"

#include <sys/resource.h>

#include <cmath>
#include <ctime>

namespace emu::clock {

std::int64_t thread_cpu_nanoseconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * std::int64_t{1'000'000'000} + t.tv_nsec;
}

std::int64_t thread_system_nanoseconds() {
  rusage used;
  getrusage(RUSAGE_THREAD, &used);
  return used.ru_stime.tv_sec * std::int64_t{1'000'000'000} + used.ru_stime.tv_usec * std::int64_t{1000};
}

void CpuMeter::start() { since_ = thread_cpu_nanoseconds(); }

Interval CpuMeter::take() {
  const std::int64_t now = thread_cpu_nanoseconds();
  const double nanoseconds = static_cast<double>(now - since_) * host_speed_;
  since_ = now;
  // Up: whoever read this CPU time from outside and counted on it must not have been promised too much.
  return Interval::picoseconds(static_cast<std::int64_t>(std::ceil(nanoseconds * 1000.0)));
}

Interval CpuMeter::declare(double reference_seconds) {
  since_ = thread_cpu_nanoseconds();
  return Interval::seconds(reference_seconds);
}

}  // namespace emu::clock
