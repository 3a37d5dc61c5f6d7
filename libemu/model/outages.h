// Outages of a node, during which its ranks do nothing and messages to them are lost.
#pragma once

#include <algorithm>
#include <vector>

#include "base/time.h"

namespace emu::model {

struct Outage {
  Instant from, until;  // [from, until); never: for good

  bool for_good() const { return until.is_never(); }
};

// In order; each begins after the end of the preceding one.
class Outages {
 public:
  Outages() = default;
  explicit Outages(std::vector<Outage> list) : list_(std::move(list)) {}

  const std::vector<Outage>& list() const { return list_; }
  bool down(Instant at) const {
    const Outage* o = next(at);
    return o && o->from <= at;
  }
  // The first outage that has not ended at `at`; null if there is none.
  const Outage* next(Instant at) const {
    const auto found =
        std::find_if(list_.begin(), list_.end(), [&](const Outage& o) { return o.until > at; });
    return found == list_.end() ? nullptr : &*found;
  }
  // The instant at which a cost that begins at `at` is paid, if the node is not down meanwhile; never, if
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
  // Time in [from, until) during which the node is down.
  Interval within(Instant from, Instant until) const {
    Interval sum;
    for (const Outage& o : list_)
      if (o.from < until && o.until > from) sum += std::min(o.until, until) - std::max(o.from, from);
    return sum;
  }
  // The instant at which the node fails for good, or never.
  Instant end() const {
    return !list_.empty() && list_.back().for_good() ? list_.back().from : Instant::never();
  }

 private:
  std::vector<Outage> list_;
};

}  // namespace emu::model
