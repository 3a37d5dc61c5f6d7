// A step of a skeleton as lines of C.
#pragma once

#include <string>
#include <vector>

#include "skeleton/program/skeleton.h"

namespace emu::skeleton {

// Number of executions of a step in the skeleton program.
struct Times {
  double times = 1;
  bool scaled = false;  // in a scaled loop
};

// `number` is in the names of its tables, which are appended to `tables` for values without a formula.
std::vector<std::string> step_text(const Step& step, int number, const Times& times, std::string& tables);

}  // namespace emu::skeleton
