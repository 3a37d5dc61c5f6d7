// Affine costs: a linear program, and rounding. The solver is GLPK, which neither the exact method (exact.h) nor
// libemu.so needs.
#pragma once

#include "scatter/problem.h"

namespace emu::scatter {

struct Heuristic {
  Plan plan;
  Interval lower_bound;  // no distribution in this order takes less, by the linear program
  Interval guarantee;    // the plan takes at most this longer than the best one
};

// Solves two linear programs, and uses the one that rounds to the better plan. In both, the makespan T is minimal
// under
//   sum over j <= i of Tcomm_j(n_j) + Tcomp_i(n_i) <= T for all i,   sum of n_i = n,   n_i >= 0.
// The first has the costs for 1 item and more, with the fixed parts of all processors: the paper's program. It gives no
// lower bound if a processor without items costs nothing, as here. The second has the greatest convex functions below
// the costs, which for fixed + x * n is (fixed / N + x) n with N items in all.
//
// The guarantee is the paper's, for the second program: with n_i its solution, rounded to n'_i < n_i + 1, f(n'_i) <=
// convex(n_i) + f(1) for each affine f, so
//   T(n') <= T(n) + sum over j of Tcomm_j(1) + max over i of Tcomp_i(1),
// and T(n) is at most the makespan of any whole numbers. Fails if a cost is not affine.
Result<Heuristic> heuristic(const Problem& problem);

}  // namespace emu::scatter
