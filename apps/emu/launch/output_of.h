// Output of small programs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/failure.h"

namespace emu::app {

// The program's standard output; its error output is discarded. The first word is its path, or its name along PATH.
// `environment`: additional variables. Fails if the program is missing, or ends with an exit code other than 0.
Result<std::string> output_of(std::vector<std::string> words,
                              std::map<std::string, std::string> environment = {});

}  // namespace emu::app
