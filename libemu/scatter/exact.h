// The distribution with the least makespan, in whole items and whole picoseconds.
#pragma once

#include "scatter/problem.h"

namespace emu::scatter {

// For any costs: by exact_non_decreasing() if no cost ever decreases, else by exact_any().
Result<Plan> exact(const Problem& problem);

// Any non-negative costs: the paper's dynamic program (its Algorithm 1), O(p n^2) time and O(p n) memory.
// Failure if p n^2 is above 10^11, which would take minutes.
Result<Plan> exact_any(const Problem& problem);

// Costs that never decrease; failure if one does. Affine costs are not looked at item by item: 817,101 items
// for 16 processors take a few milliseconds. In the worst case, where very many distributions are nearly as
// good as the best, it gives up with a failure that says how good the best one that it knows is.
Result<Plan> exact_non_decreasing(const Problem& problem);

}  // namespace emu::scatter
