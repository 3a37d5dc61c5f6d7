// Ordered spans of time without overlap, and their part of any period.
#pragma once

#include <algorithm>
#include <vector>

#include "base/time.h"

namespace emu::analysis {

class Spans {
 public:
  struct Span {
    Instant from, until;
    Interval before;  // of all earlier spans
  };

  void add(Instant from, Instant until);  // not before the last span; adjacent spans are merged
  Interval before(Instant t) const;
  Interval within(Instant from, Instant until) const {
    return until > from && !spans_.empty() ? before(until) - before(from) : Interval();
  }
  // The latest instant, not before `least`, with this much time
  // outside of the spans between it and `until`, which is in no span.
  Instant back(Instant until, Interval outside, Instant least) const;
  const std::vector<Span>& all() const { return spans_; }

  // Cuts [from, until) at the starts and ends of spans: calls use(inside, from, until) for each piece, in order.
  template <class Use>
  void cut(Instant from, Instant until, Use use) const {
    if (!spans_.empty())
      for (auto span = first(from); span != spans_.end() && span->from < until && from < until; ++span) {
        if (span->from > from) use(false, from, span->from);
        const Instant end = std::min(span->until, until);
        use(true, std::max(span->from, from), end);
        from = end;
      }
    if (from < until) use(false, from, until);
  }

 private:
  // The first span that ends after `t`.
  std::vector<Span>::const_iterator first(Instant t) const {
    return std::upper_bound(spans_.begin(), spans_.end(), t,
                            [](Instant at, const Span& span) { return at < span.until; });
  }

  std::vector<Span> spans_;
};

}  // namespace emu::analysis
