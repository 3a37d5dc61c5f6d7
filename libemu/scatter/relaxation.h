// What no distribution can do better: linear bounds below the costs, and what follows from them for the
// processors from one on to the last.
#pragma once

#include <vector>

#include "scatter/problem.h"

namespace emu::scatter {

// at0 + slope * n, in picoseconds: at most the cost, for all n in 0 ... most.
struct Line {
  long double at0 = 0;
  long double slope = 0;

  long double of(Items n) const { return at0 + slope * static_cast<long double>(n); }
};

// The greatest convex function that is nowhere above a cost, in least ... most.
class Envelope {
 public:
  // least < most, or both are 1. Of an affine cost it takes three values, of others all.
  Envelope(const Cost& cost, Items least, Items most);
  // The line that touches it at n, or where it ends.
  Line at(Items n) const;

 private:
  struct Point {
    Items n;
    long double cost;
  };
  void add(Items n, const Cost& cost);

  std::vector<Point> corners_;
};

// In time R, from the instant at which the root begins to send to the first of them, a row of processors
// takes at most items + rate * R items.
struct Capacity {
  long double items = 0;
  long double rate = 0;  // per picosecond

  long double in(Interval time) const { return items + rate * static_cast<long double>(time.picoseconds()); }
};

// Below the costs of a processor.
struct Lines {
  Line send, compute;            // for 0 items and more
  Line send_some, compute_some;  // for 1 and more
  Interval send_none;            // what it costs to send nothing
};

// The capacity of processors i, i + 1, ..., p - 1, for all i; and of none, at the end. That of i holds for times
// from least_time[i] on.
//
// With F_i(R) the most items that these take in time R,
//   F_i(R) = max over e of e + F_{i+1}(R - Tcomm(e)), where Tcomm(e) + Tcomp(e) <= R.
// Let F_{i+1}(r) <= g + D r, Tcomm(e) >= a0 + a e, and Tcomm(e) + Tcomp(e) >= s0 + s e. Then
//   F_i(R) <= max of g + D (R - a0) + (1 - D a) e, where e <= (R - s0) / s,
// which is greatest for the largest e if 1 - D a > 0, and else for the smallest: linear in R in both cases. For
// linear costs that is an equality if items may be split, and the condition is the paper's: processor i gets
// nothing if those behind it take more than one item in the time in which it is sent one (a D > 1).
//
// Costs with a fixed part jump at the first item. Lines below them from 1 item on are closer than lines that
// are so from 0 on. They give the bound where they give more than e = 0 does: at least_time[i] and, as the rate
// is not less, from there on.
std::vector<Capacity> capacities(const std::vector<Lines>& lines, Items most,
                                 const std::vector<Interval>& least_time);

// Whether the processor before those of `behind` is worth sending an item more to.
inline bool worth(const Line& send, const Capacity& behind) { return behind.rate * send.slope < 1; }

}  // namespace emu::scatter
