// Linear costs, in closed form; and from parts of items to whole ones.
#pragma once

#include <vector>

#include "scatter/problem.h"

namespace emu::scatter {

struct Shares {
  std::vector<long double> items;  // of each processor, not whole; they add up to n
  Interval makespan;               // if items could be split; rounded down
};

// The best shares in the order of the processors, for linear costs a_i n and b_i n. Failure if a cost is not
// linear. With D_i the items that processors i, i + 1, ... take together in a unit of time,
//   D_p = 1 / (a_p + b_p),   D_i = D_{i+1} + (1 - a_i D_{i+1}) / (a_i + b_i),
// the makespan is n / D_1 (the paper's Theorem 1, where D is time per item), and all end together. Processor i
// gets nothing, and D_i = D_{i+1}, if a_i D_{i+1} >= 1: while it is sent one item, those behind it would take
// one or more.
Result<Shares> shares(const Problem& problem);

// That, rounded. The makespan is at most that of the best whole numbers + sum of Tcomm_j(1) + the greatest
// Tcomp_i(1): see heuristic.h.
Result<Plan> closed_form(const Problem& problem);

// The paper's rounding: the share that is nearest to a whole number becomes that number. After that, while those so
// far have less than their shares in sum, the one that is nearest to the whole number above it becomes that; while
// they have more, likewise below. The last one gets what is left. So each differs from its share by less than 1.
std::vector<Items> rounded(const std::vector<long double>& shares, Items items);

}  // namespace emu::scatter
