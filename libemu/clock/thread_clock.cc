#include "clock/thread_clock.h"

#include <algorithm>

#include "base/billion.h"
#include "base/next.h"

namespace emu::clock {

std::int64_t thread_cpu_nanoseconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * billion + t.tv_nsec;
}

ThreadClock::ThreadClock() : wall_(next<int(clockid_t, timespec*)>("clock_gettime")) {}

[[gnu::hot]] std::int64_t ThreadClock::wall() const {
  timespec t;
  wall_(CLOCK_MONOTONIC, &t);
  return t.tv_sec * billion + t.tv_nsec;
}

[[gnu::hot]] std::int64_t ThreadClock::read() {
  if (!glances_ || off_cpu_.any()) return ask();
  const std::int64_t now = wall(), since_asked = now - anchor_wall_;
  const std::int64_t glance = anchor_ + since_asked;
  if (now - last_wall_ > short_stretch || since_asked > trusted) {
    // After a pause, asking the kernel is slow. If the kernel's value agrees, the one without it is more accurate.
    const std::int64_t used = ask();
    const std::int64_t stolen = (glance - glancing_) - (used - bias());
    if (stolen > asking_ + since_asked / 128) return used;
    asked_ = false;
    return glance;
  }
  last_wall_ = now;
  asked_ = false;
  return since_ = glance;
}

// The kernel reads the CPU time about half way through the call: the second half is not part of an
// interval that begins here. An interruption between the kernel's reading and that of the wall clock
// would be missing in all readings until the kernel is asked again: so it is asked again at once.
[[gnu::hot]] std::int64_t ThreadClock::ask() {
  constexpr int most = 4;
  std::int64_t used = 0, before = 0;
  for (int tries = 0; tries < most; ++tries) {
    off_cpu_.watch();
    if (wall_) before = wall();
    used = thread_cpu_nanoseconds();
    if (wall_) anchor_wall_ = last_wall_ = wall();
    if (asking_ == 0 || last_wall_ - before < 4 * asking_) break;
  }
  asked_ = true;
  since_ = anchor_ = used + asking_ / 2;
  return used;
}

std::int64_t ThreadClock::middle(std::int64_t (&values)[pairs]) {
  std::nth_element(values, values + pairs / 2, values + pairs);
  return values[pairs / 2];
}

}  // namespace emu::clock
