// A step of a skeleton as lines of C.
#pragma once

#include <string>
#include <vector>

#include "skeleton/program/skeleton.h"

namespace emu::skeleton {

// How often a step is come to in the skeleton program.
struct Times {
  double times = 1;
  bool scaled = false;  // in a loop that stands for more of itself
};

// `number` names its tables, which are appended to `tables` where values have no formula.
std::vector<std::string> step_text(const Step& step, int number, const Times& times, std::string& tables);

}  // namespace emu::skeleton
