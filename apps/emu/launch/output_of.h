// Output of small programs.
#pragma once

#include <string>
#include <vector>

#include "base/failure.h"

namespace emu::app {

// The program's standard output; its error output is discarded. The first word is its name along PATH. Fails if it
// is missing, or ends with an exit code other than 0.
Result<std::string> output_of(std::vector<std::string> words);

}  // namespace emu::app
