// The command line of loops.
#pragma once

#include <string>

#include "command_line/command_line.h"
#include "loop.h"
#include "schedule.h"

namespace loops {

struct Options {
  std::int32_t iterations = 10000;
  Distribution distribution = Distribution::constant;
  double mean = 1e-3;  // seconds
  std::string costs;   // file of costs, in place of the three above; empty: none
  Plan plan;
  std::string chunks;  // file to write; empty: none
};

void add_options(command_line::po::options_description& options);
emu::Result<void> read_options(const command_line::Given& given, int ranks, Options& to);

}  // namespace loops
