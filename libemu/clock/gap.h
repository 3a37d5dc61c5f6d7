// g, the least time between the starts of two sends of a rank.
#pragma once

#include "clock/clock.h"

namespace emu::clock {

class Gap {
 public:
  // Waits until a send may start.
  void keep(Clock& clock, Interval gap) {
    clock.wait_until(next_, path_);
    next_ = clock.now() + gap;
    path_ = clock.path();
    path_.gap += gap;
    ++path_.gaps;
  }

  // The next send starts no earlier.
  Instant next() const { return next_; }

 private:
  Instant next_;
  record::Path path_;  // to that instant
};

}  // namespace emu::clock
