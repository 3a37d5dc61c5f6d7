// The strategies on a program's command line.
#pragma once

#include "command_line/command_line.h"
#include "strategy.h"

namespace strategies {

// --strategy, --masters, --dealing, --split-at, --merge-at. Each program defines its own option for the task size.
void add_options(command_line::po::options_description& options);
emu::Result<void> read_options(const command_line::Given& given, int ranks, Plan& to);

}  // namespace strategies
