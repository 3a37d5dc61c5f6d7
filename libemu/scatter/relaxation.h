// Lower bounds of all distributions: linear bounds below the costs, and their consequences for the processors from a
// given one to the last.
#pragma once

#include <cstdint>
#include <vector>

#include "scatter/cost.h"

namespace emu::scatter {

// at0 + slope * n, in picoseconds: at most the cost, for all n under consideration.
struct Line {
  long double at0 = 0;
  long double slope = 0;

  long double of(Items n) const { return at0 + slope * static_cast<long double>(n); }
};

// The greatest convex function that is nowhere above a cost, in least ... most, as far as the known values determine
// it.
class Envelope {
 public:
  Envelope() = default;
  // `at`: ascending numbers of items, from least to most; `costs`: their costs. Between two of them, a cost that never
  // decreases is at least that at the left one.
  Envelope(const Cost& cost, const std::vector<Items>& at, const std::vector<Interval>& costs);
  // The line that touches the function at n, or at its end.
  Line line_at(Items n) const;

 private:
  struct Point {
    Items n;
    long double cost;
  };
  void add(Point next);

  std::vector<Point> corners_;
};

// In time R, from the instant at which the root begins to send to the first of them, consecutive processors
// take at most items + rate * R items.
struct Capacity {
  long double items = 0;
  long double rate = 0;  // per picosecond

  long double in(long double time) const { return items + rate * time; }
};

// With F_i(R) the most items that processors i, i + 1, ..., p - 1 take in time R,
//   F_i(R) = max over e of e + F_{i+1}(R - Tcomm(e)), where Tcomm(e) + Tcomp(e) <= R.
// Let F_{i+1}(r) <= g + D r, Tcomm(e) >= a0 + a e, and Tcomm(e) + Tcomp(e) >= s0 + s e. Then
//   F_i(R) <= max of g + D (R - a0) + (1 - D a) e, where e <= (R - s0) / s,
// which is greatest for the largest e if 1 - D a > 0, and else for the smallest: linear in R in both cases. For
// linear costs this is an equality if items may be split, and the condition is the paper's: processor i gets
// nothing if the later ones take more than one item in the time of sending it one (a D > 1).
//
// Here e is one of least ... most, and 1 or more.
Capacity with_items(const Line& send, const Line& compute, const Capacity& behind, Items least, Items most);
// As with_items() for e = 0, which costs `send`.
Capacity without_items(Interval send, const Capacity& behind);

// The greatest of several capacities, for times from `from` to `to`: a convex function of the time. Costs with a
// fixed part jump at the first item, so each processor has two cases: it gets nothing, or something. The
// maximum of both cases for each capacity of the later processors is again such a function, and has no gap except
// that of splitting items.
class Frontier {
 public:
  Frontier() = default;
  Frontier(std::vector<Capacity> capacities, long double from, long double to);

  long double in(long double time) const;
  // A single capacity that is above all of them in this time.
  Capacity above(long double from, long double to) const;
  const std::vector<Capacity>& capacities() const { return lines_; }

 private:
  std::vector<Capacity> lines_;      // by ascending rate
  std::vector<long double> begins_;  // [i]: from this time on lines_[i + 1] is the greatest
};

}  // namespace emu::scatter
