// Outages of a node: its ranks do nothing then, and what arrives there is lost.
#pragma once

#include <algorithm>
#include <vector>

#include "base/time.h"

namespace emu::model {

struct Outage {
  Instant from, until;  // [from, until); never: for good

  bool for_good() const { return until.is_never(); }
};

// In order; each begins after the one before has ended.
class Outages {
 public:
  Outages() = default;
  explicit Outages(std::vector<Outage> list) : list_(std::move(list)) {}

  const std::vector<Outage>& list() const { return list_; }
  bool down(Instant at) const {
    const Outage* o = next(at);
    return o && o->from <= at;
  }
  // The first that has not ended at `at`; null if there is none.
  const Outage* next(Instant at) const {
    const auto found =
        std::find_if(list_.begin(), list_.end(), [&](const Outage& o) { return o.until > at; });
    return found == list_.end() ? nullptr : &*found;
  }
  // When what costs `cost`, begun at `at`, is paid for, if none of that is while the node is down; never, if
  // the node fails before.
  Instant after(Instant at, Interval cost) const {
    for (const Outage& o : list_) {
      if (o.until <= at) continue;
      if (at + cost < o.from) break;
      if (o.for_good()) return Instant::never();
      if (at < o.from) cost -= o.from - at;
      at = o.until;
    }
    return at + cost;
  }
  // How long it is down in [from, until).
  Interval within(Instant from, Instant until) const {
    Interval sum;
    for (const Outage& o : list_)
      if (o.from < until && o.until > from) sum += std::min(o.until, until) - std::max(o.from, from);
    return sum;
  }
  // When the node fails for good.
  Instant end() const {
    return !list_.empty() && list_.back().for_good() ? list_.back().from : Instant::never();
  }

 private:
  std::vector<Outage> list_;
};

}  // namespace emu::model
