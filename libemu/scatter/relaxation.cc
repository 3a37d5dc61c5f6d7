#include "scatter/relaxation.h"

#include <algorithm>

namespace emu::scatter {

Envelope::Envelope(const Cost& cost, const std::vector<Items>& at, const std::vector<Interval>& costs) {
  if (cost.is_affine()) {
    // Rounded to the nearest picosecond.
    const auto line = [&](Items n) {
      return static_cast<long double>(cost.fixed().picoseconds()) +
             cost.per_item() * static_cast<long double>(n) - 0.501L;
    };
    add({at.front(), line(at.front())});
    if (at.back() > at.front()) add({at.back(), line(at.back())});
    return;
  }
  for (std::size_t i = 0; i < at.size(); ++i) {
    const long double here = static_cast<long double>(costs[i].picoseconds());
    add({at[i], here});
    if (i + 1 < at.size() && at[i + 1] > at[i] + 1) add({at[i + 1] - 1, here});
  }
}

// From left to right: points above the line between their neighbours are removed.
void Envelope::add(Point next) {
  while (corners_.size() > 1) {
    const Point& a = corners_[corners_.size() - 2];
    const Point& b = corners_.back();
    const bool below = (b.cost - a.cost) * static_cast<long double>(next.n - a.n) <
                       (next.cost - a.cost) * static_cast<long double>(b.n - a.n);
    if (below) break;
    corners_.pop_back();
  }
  corners_.push_back(next);
}

Line Envelope::line_at(Items n) const {
  if (corners_.size() == 1) return {corners_[0].cost, 0};
  auto right = std::lower_bound(corners_.begin() + 1, corners_.end() - 1, n,
                                [](const Point& p, Items number) { return p.n < number; });
  const Point& a = *(right - 1);
  const Point& b = *right;
  const long double slope = (b.cost - a.cost) / static_cast<long double>(b.n - a.n);
  return {a.cost - slope * static_cast<long double>(a.n), slope};
}

Capacity with_items(const Line& send, const Line& compute, const Capacity& behind, Items least, Items most) {
  const Line sum{send.at0 + compute.at0, send.slope + compute.slope};
  const long double weight = 1 - behind.rate * send.slope;
  Capacity here{behind.items - behind.rate * send.at0, behind.rate};
  if (weight <= 0) {
    here.items += weight * static_cast<long double>(least);
  } else if (sum.slope < 1e-9L) {
    // Costs hardly grow: all that is known is that no processor takes more than all items.
    here.items += weight * static_cast<long double>(most);
  } else {
    here.items -= weight * sum.at0 / sum.slope;
    here.rate += weight / sum.slope;
  }
  return here;
}

Capacity without_items(Interval send, const Capacity& behind) {
  return {behind.items - behind.rate * static_cast<long double>(send.picoseconds()), behind.rate};
}

namespace {

// Sufficient in all known cases; more lines are merged into one above them all.
constexpr std::size_t most_lines = 256;

}  // namespace

Frontier::Frontier(std::vector<Capacity> all, long double from, long double to) {
  std::sort(all.begin(), all.end(), [](const Capacity& a, const Capacity& b) {
    return a.rate != b.rate ? a.rate < b.rate : a.items > b.items;
  });
  for (const Capacity& line : all) {
    if (!lines_.empty() && line.rate == lines_.back().rate) continue;
    long double begin = from;
    while (!lines_.empty()) {
      begin = (lines_.back().items - line.items) / (line.rate - lines_.back().rate);
      if (begin > (begins_.empty() ? from : begins_.back())) break;
      lines_.pop_back();
      if (!begins_.empty()) begins_.pop_back();
      begin = from;
    }
    if (begin >= to && !lines_.empty()) continue;
    if (!lines_.empty()) begins_.push_back(begin);
    lines_.push_back(line);
  }
  if (lines_.size() > most_lines) {
    const Capacity one = above(from, to);
    lines_.assign(1, one);
    begins_.clear();
  }
}

// A convex function is below the chord through its ends.
Capacity Frontier::above(long double from, long double to) const {
  if (lines_.size() == 1) return lines_[0];
  const long double rate = to > from ? (in(to)-in(from)) / (to - from) : lines_.back().rate;
  return {std::max(in(from)-rate * from, in(to)-rate * to), rate};
}

long double Frontier::in(long double time) const {
  const auto at = std::upper_bound(begins_.begin(), begins_.end(), time) - begins_.begin();
  return lines_[static_cast<std::size_t>(at)].in(time);
}

}  // namespace emu::scatter
