// Numbers of repetitions of a skeleton's loops that are scaled down.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "skeleton/fold/farm.h"
#include "skeleton/program/skeleton.h"

namespace emu::skeleton {

// Of a loop that runs n times: `first` of them as they are, since the first may not be like the others (they fill a
// pipeline, say); then `rest` that stand for `weight` each: first + rest * weight = n.
struct LoopScale {
  long first = 0, rest = 0;
  double weight = 1;
};

struct Scaling {
  std::map<const Node*, LoopScale> loops;  // the others run as often as they did
  std::map<const Node*, FarmScale> farms;  // all that there are
  double requested = 1;
  double share = 1;                // of the recorded time that is left to run, as far as the recording tells
  double largest_count = 1;        // of a loop
  std::vector<std::string> notes;  // what could not be done, for people
};

// Outer loops are scaled by `scale` where they run often enough, else inner ones, or both a part each. A loop stays as it
// is where sends and receives would not be as many any more. Nothing runs less than once.
Scaling scale_down(const Skeleton& skeleton, double scale);

}  // namespace emu::skeleton
