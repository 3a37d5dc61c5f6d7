// The command line of loops.
#pragma once

#include <string>

#include "base/failure.h"
#include "loop.h"
#include "schedule.h"

namespace loops {

struct Options {
  bool help = false;
  std::int32_t iterations = 10000;
  Distribution distribution = Distribution::constant;
  double mean = 1e-3;  // seconds
  std::string costs;   // file of costs, instead of the three above; empty: none
  Plan plan;
  std::string chunks;  // file to write; empty: none
};

// Every rank of `ranks` reads the same.
emu::Result<Options> read_options(int argc, char** argv, int ranks);
std::string help();

}  // namespace loops
