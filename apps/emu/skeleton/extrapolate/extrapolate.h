// Skeleton of a program for a number of ranks with which it was not recorded, from skeletons with two or more other
// numbers.
//
// Requires a program with this structure: its steps and loops are equal for each number of ranks; its ranks form a
// row or a grid, and ranks in similar positions act alike (grid.h); sizes, work and loop counts follow one of the
// laws of fit.h. Loops and ranks are merged for each number of ranks separately (skeleton/fold/merge.h); the functions
// of the number of ranks are fitted as in Barnes et al., "A Regression-Based Approach to Scalability Prediction" (ICS
// 2008).
#pragma once

#include <string>
#include <vector>

#include "base/failure.h"
#include "skeleton/program/skeleton.h"

namespace emu::skeleton {

struct Extrapolated {
  Skeleton skeleton;
  std::vector<std::string> notes;  // for users: the laws, their residuals, unchecked assumptions
};

// A failure names the step or the ranks that do not follow any law, and gives advice.
Result<Extrapolated> extrapolate(std::vector<Skeleton> recorded, int ranks);

}  // namespace emu::skeleton
