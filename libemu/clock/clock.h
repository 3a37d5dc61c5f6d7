// One rank's virtual clock, and where its time went.
#pragma once

#include <algorithm>

#include "base/time.h"
#include "trace/summary.h"

namespace emu::clock {

class Clock {
 public:
  using Cause = Interval trace::Breakdown::*;

  Instant now() const { return now_; }
  const trace::Breakdown& breakdown() const { return spent_; }

  // Moves on by `d`, because of `cause`.
  void charge(Cause cause, Interval d) {
    now_ += d;
    spent_.*cause += d;
  }
  // Moves on to `t` if that is later: the difference is waiting.
  void wait_until(Instant t) {
    if (t > now_) charge(&trace::Breakdown::wait, t - now_);
  }

 private:
  Instant now_;
  trace::Breakdown spent_;
};

}  // namespace emu::clock
