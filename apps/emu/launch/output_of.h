// Small programs that are run for what they write.
#pragma once

#include <string>
#include <vector>

#include "base/failure.h"

namespace emu::app {

// The program's standard output; its standard error is lost. The first word is its name along PATH. Failure if it
// is not there, or ends with an exit code other than 0.
Result<std::string> output_of(std::vector<std::string> words);

}  // namespace emu::app
