// The command line of `emu plan`.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"
#include "launch/run_options.h"
#include "plan/capacity.h"

namespace emu::app::capacity {

struct Options {
  bool help = false;  // then no other option is set
  RunOptions run;     // the pilot run; without a program there is none
  std::int64_t ranks = 0;
  std::optional<double> messages;
  std::optional<double> messages_per_second;
  std::optional<double> bytes_per_rank;
  Host host;  // with all its memory
  std::array<int, 2> pilot{4, 16};
  std::string costs;  // file; empty: none
  std::string json;   // file, "-" for standard output, empty for none
};

Result<Options> parse_options(const std::vector<std::string>& args);

std::string help();

}  // namespace emu::app::capacity
