// Linear costs in closed form, and rounding of fractional items.
#pragma once

#include <vector>

#include "scatter/problem.h"

namespace emu::scatter {

struct Shares {
  std::vector<long double> items;  // of each processor, fractional; the sum is n
  Interval makespan;               // with fractional items; rounded down
};

// The best shares in the order of the processors, for linear costs a_i n and b_i n. Fails if a cost is not
// linear. With D_i the items that processors i, i + 1, ... take together in a unit of time,
//   D_p = 1 / (a_p + b_p),   D_i = D_{i+1} + (1 - a_i D_{i+1}) / (a_i + b_i),
// the makespan is n / D_1 (the paper's Theorem 1, where D is time per item), and all
// processors end together. Processor i gets nothing, and D_i = D_{i+1}, if a_i D_{i+1}
// >= 1: in the time of sending it one item, the later processors take one or more.
Result<Shares> shares(const Problem& problem);

// shares(), rounded. The makespan is at most that of the best whole numbers + sum of Tcomm_j(1) + the greatest
// Tcomp_i(1): see heuristic.h.
Result<Plan> closed_form(const Problem& problem);

// The paper's rounding: the share that is nearest to a whole number becomes that number. After that, while the rounded
// numbers are less than their shares in sum, the share nearest to the next whole number above is rounded up; while they
// are more, the one nearest below is rounded down. The last one gets the rest. So each differs from its share by less
// than 1.
std::vector<Items> rounded(const std::vector<long double>& shares, Items items);

}  // namespace emu::scatter
