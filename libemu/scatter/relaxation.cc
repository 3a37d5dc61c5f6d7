#include "scatter/relaxation.h"

#include <algorithm>

namespace emu::scatter {

Envelope::Envelope(const Cost& cost, Items least, Items most) {
  if (cost.is_affine()) {
    add(least, cost);
    if (least < 1) add(1, cost);
    if (most > 1) add(most, cost);
    return;
  }
  for (Items n = least; n <= most; ++n) add(n, cost);
}

// From left to right; what lies above the line between its neighbours goes.
void Envelope::add(Items n, const Cost& cost) {
  // Affine costs are rounded to a picosecond: between their corners they may be half a one lower.
  const Point next{n, static_cast<long double>(cost.of(n).picoseconds()) - 1};
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

Line Envelope::at(Items n) const {
  if (corners_.size() == 1) return {corners_[0].cost, 0};
  auto right = std::lower_bound(corners_.begin() + 1, corners_.end() - 1, n,
                                [](const Point& p, Items number) { return p.n < number; });
  const Point& a = *(right - 1);
  const Point& b = *right;
  const long double slope = (b.cost - a.cost) / static_cast<long double>(b.n - a.n);
  return {a.cost - slope * static_cast<long double>(a.n), slope};
}

namespace {

// With e items, where e >= `least`.
Capacity with_line(const Line& send, const Line& compute, const Capacity& behind, Items least, Items most) {
  const Line sum{send.at0 + compute.at0, send.slope + compute.slope};
  const long double weight = 1 - behind.rate * send.slope;
  Capacity here{behind.items - behind.rate * send.at0, behind.rate};
  if (weight <= 0) {
    here.items += weight * static_cast<long double>(least);
  } else if (sum.slope < 1e-9L) {
    // Costs that hardly grow: all that is known is that nobody takes more than all.
    here.items += weight * static_cast<long double>(most);
  } else {
    here.items -= weight * sum.at0 / sum.slope;
    here.rate += weight / sum.slope;
  }
  return here;
}

}  // namespace

std::vector<Capacity> capacities(const std::vector<Lines>& lines, Items most,
                                 const std::vector<Interval>& least_time) {
  std::vector<Capacity> result(lines.size() + 1);
  for (std::size_t i = lines.size(); i-- > 0;) {
    const Lines& l = lines[i];
    const Capacity& behind = result[i + 1];
    const Capacity some = with_line(l.send_some, l.compute_some, behind, 1, most);
    const Capacity none{behind.items - behind.rate * static_cast<long double>(l.send_none.picoseconds()),
                        behind.rate};
    const bool more = some.in(least_time[i]) >= none.in(least_time[i]);
    result[i] = more ? some : with_line(l.send, l.compute, behind, 0, most);
  }
  return result;
}

}  // namespace emu::scatter
