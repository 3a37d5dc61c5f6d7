// Reduced numbers of iterations of a skeleton's loops.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "skeleton/fold/farm.h"
#include "skeleton/program/skeleton.h"

namespace emu::skeleton {

// For a loop of n iterations: `first` iterations unchanged, because the first ones may differ from the
// others (they may fill a pipeline); then `rest` iterations with `weight` each: first + rest * weight = n.
struct LoopScale {
  long first = 0, rest = 0;
  double weight = 1;
};

struct Scaling {
  std::map<const Node*, LoopScale> loops;  // others run unchanged
  std::map<const Node*, FarmScale> farms;  // all farms
  double requested = 1;
  double share = 1;                // fraction of the recorded time that remains to run, as far as known
  double largest_count = 1;        // of a loop
  std::vector<std::string> notes;  // for users: limitations
};

// Outer loops are scaled by `scale` if they run often enough, else inner ones, or both partly. A loop is unchanged
// if its sends and receives would differ in number. Nothing runs less than once.
Scaling scale_down(const Skeleton& skeleton, double scale);

// A number of iterations in texts, with up to 6 digits.
std::string count_text(double count);

}  // namespace emu::skeleton
