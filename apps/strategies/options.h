// The strategies on a program's command line.
#pragma once

#include "command_line/command_line.h"
#include "strategy.h"

namespace strategies {

// --strategy, --masters, --dealing, --split-at, --merge-at. The size of a task is the program's.
void add_options(command_line::po::options_description& options);
emu::Result<void> read_options(const command_line::Given& given, int ranks, Plan& to);

}  // namespace strategies
