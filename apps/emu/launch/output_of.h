// Small programs that are run for what they write.
#pragma once

#include <string>
#include <vector>

#include "base/failure.h"

namespace emu::app {

// What the program wrote to standard output; what it wrote as errors is lost. The first word is its name along
// PATH. Failure, of which nothing but the reason is said, if it is not there or ends with an exit code other than 0.
Result<std::string> output_of(std::vector<std::string> words);

// What gnuplot wrote, told `script`. The failure says which package has it, if it is not there.
Result<std::string> gnuplot(const std::string& script);

}  // namespace emu::app
