// The distribution with the least makespan, in whole items and whole picoseconds.
#pragma once

#include "scatter/problem.h"

namespace emu::scatter {

// For any costs: exact_non_decreasing() if no cost ever decreases, else exact_any(). Functions are called for
// all their values, in time proportional to p n; tables have been scanned at their construction.
Result<Plan> exact(const Problem& problem);

// Any non-negative costs: the paper's dynamic program (its Algorithm 1), O(p n^2) time and O(p n) memory.
// Fails if p n^2 is above 10^11, which would take minutes.
Result<Plan> exact_any(const Problem& problem);

// For costs that never decrease. For affine costs and tables this is known, and a decrease is a failure. A function
// is called for all values if they are 4096 or fewer, else usually for some thousands of them, and assumed not to
// decrease between them: it is a failure if one of these values is negative, or less than one for fewer items.
// Other decreases are not noticed, and then there may be a better plan: check_never_decreases() checks all values.
//
// 817,101 items for 16 processors take a few milliseconds, with affine costs, tables or
// functions. The search is slow only if very many distributions are nearly as good as the best
// one, as with costs that rise in long steps. Then exact_table() finds the best one if p n is not
// too large, in seconds or minutes; else the failure states the quality of the best known one.
Result<Plan> exact_non_decreasing(const Problem& problem);

// As above by the paper's Algorithm 2, for costs that never decrease: O(p n^2) time at worst, but usually much less,
// and O(p n) memory. Fails if p n is above 3 * 10^7, or if it takes more than 2 * 10^10 steps (a minute).
Result<Plan> exact_table(const Problem& problem);

// Result of the search of exact_non_decreasing(): no plan takes less than `least`.
struct Bracket {
  Plan plan;
  Interval least;

  bool is_exact() const { return plan.makespan == least; }
};
// As exact_non_decreasing(), but if that is slow, the best known distribution.
Result<Bracket> nearly_exact(const Problem& problem);

// Fails if a cost is negative or decreases anywhere. Functions are called for all their values.
Result<void> check_never_decreases(const Problem& problem);

}  // namespace emu::scatter
