#include "clock/meter.h"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>

#include "base/billion.h"

namespace emu::clock {

std::int64_t thread_system_nanoseconds() {
  rusage used;
  getrusage(RUSAGE_THREAD, &used);
  return used.ru_stime.tv_sec * billion + used.ru_stime.tv_usec * std::int64_t{1000};
}

[[gnu::hot]] void CpuMeter::start() {
  clock_.read();
  since_ = clock_.since();
}

[[gnu::hot]] Interval CpuMeter::take() {
  const std::int64_t passed = clock_.read() - since_;
  since_ = clock_.since();
  const std::int64_t own = clock_.bias() + owed_;
  const std::int64_t used = std::max<std::int64_t>(0, passed - own);
  // At most the overhead of one reading: an unusually slow reading must not reduce the work that follows.
  owed_ = std::clamp<std::int64_t>(own - passed, 0, clock_.asking());
  ++takes_;
  taken_off_ += passed - used;
  const double nanoseconds = static_cast<double>(used) * host_speed_;
  // Rounded up: another process that has read this CPU time may have used it as a lower bound.
  constexpr auto most = static_cast<double>(Interval::longest().picoseconds());
  return Interval::picoseconds(static_cast<std::int64_t>(std::min(std::ceil(nanoseconds * 1000.0), most)));
}

Interval CpuMeter::declare(double reference_seconds) {
  start();
  return Interval::seconds(reference_seconds);
}

}  // namespace emu::clock
