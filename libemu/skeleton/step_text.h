// A step of a skeleton as lines of C.
#pragma once

#include <string>
#include <vector>

#include "skeleton/skeleton.h"

namespace emu::skeleton {

// `number` names its tables, which are appended to `tables` where values have no formula.
std::vector<std::string> step_text(const Step& step, int number, std::string& tables);

}  // namespace emu::skeleton
