// The distribution with the least makespan, in whole items and whole picoseconds.
#pragma once

#include "scatter/problem.h"

namespace emu::scatter {

// For any costs: by exact_non_decreasing() if no cost ever decreases, else by exact_any(). Functions are asked for
// all their values, which takes time in proportion to p n; tables have been looked through when they were made.
Result<Plan> exact(const Problem& problem);

// Any non-negative costs: the paper's dynamic program (its Algorithm 1), O(p n^2) time and O(p n) memory.
// Failure if p n^2 is above 10^11, which would take minutes.
Result<Plan> exact_any(const Problem& problem);

// Costs that never decrease. Of affine costs and tables that is known, and a decrease is a failure. A function is
// asked for all values if they are 4096 or fewer, else for some thousands of them mostly, however many there are, and
// trusted in between: a failure if one that it was asked for is negative, or less than one for fewer items. What is
// not met is not noticed, and then there may be a better answer: check_never_decreases() asks for all.
//
// 817,101 items for 16 processors take a few milliseconds, be the costs affine, tables or functions. It is slow only
// where very many distributions are nearly as good as the best, as with costs that rise in long steps. Then
// exact_table() finds it if p n is not too large, in seconds or minutes; else the failure says how good the best one
// that is known is.
Result<Plan> exact_non_decreasing(const Problem& problem);

// The same by the paper's Algorithm 2, for any costs that never decrease: O(p n^2) time at worst, but mostly much less,
// and O(p n) memory. Failure if p n is above 3 * 10^7, or it takes more than 2 * 10^10 steps (a minute).
Result<Plan> exact_table(const Problem& problem);

// What is known when the search of exact_non_decreasing() ends: nothing takes less than `least`.
struct Bracket {
  Plan plan;
  Interval least;

  bool is_exact() const { return plan.makespan == least; }
};
// As exact_non_decreasing(), but where that is slow, the best distribution that is known.
Result<Bracket> nearly_exact(const Problem& problem);

// Failure if a cost is negative or decreases anywhere. Functions are asked for all their values.
Result<void> check_never_decreases(const Problem& problem);

}  // namespace emu::scatter
