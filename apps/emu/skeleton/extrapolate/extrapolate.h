// A program's skeleton for a number of ranks with which it was not recorded, from its skeletons with two or more others.
//
// Where a program's structure allows it: its steps and loops are the same with each number of ranks; its ranks stand in a
// row or a grid, and those in like places do the same (grid.h); sizes, work and loop counts follow one of the laws of
// fit.h. The seed draws loops and ranks together in the same way for one number of ranks; the functions of their
// number are fitted as in Barnes et al., "A Regression-Based Approach to Scalability Prediction" (ICS 2008).
#pragma once

#include <string>
#include <vector>

#include "base/failure.h"
#include "skeleton/program/skeleton.h"

namespace emu::skeleton {

struct Extrapolated {
  Skeleton skeleton;
  std::vector<std::string> notes;  // by which laws, how well they hold, what was not checked; for people
};

// Failure says which step or which ranks do not follow any law, and what would help.
Result<Extrapolated> extrapolate(std::vector<Skeleton> recorded, int ranks);

}  // namespace emu::skeleton
