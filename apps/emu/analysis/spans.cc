#include "analysis/spans.h"

namespace emu::analysis {

void Spans::add(Instant from, Instant until) {
  if (until <= from) return;
  if (!spans_.empty() && spans_.back().until == from) {
    spans_.back().until = until;
    return;
  }
  const Interval before =
      spans_.empty() ? Interval() : spans_.back().before + (spans_.back().until - spans_.back().from);
  spans_.push_back({from, until, before});
}

Interval Spans::before(Instant t) const {
  const auto after = std::upper_bound(spans_.begin(), spans_.end(), t,
                                      [](Instant at, const Span& span) { return at < span.from; });
  if (after == spans_.begin()) return Interval();
  const Span& span = *(after - 1);
  return span.before + (std::min(t, span.until) - span.from);
}

Instant Spans::back(Instant until, Interval outside, Instant least) const {
  auto span = first(until);
  while (span != spans_.begin()) {
    --span;
    if (until - span->until >= outside) break;
    outside -= until - span->until;
    until = span->from;
  }
  return std::max(until - outside, least);
}

}  // namespace emu::analysis
