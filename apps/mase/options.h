// The command line of mase.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "command_line/command_line.h"
#include "mandelbrot.h"
#include "strategies/strategy.h"

namespace mase {

struct Options {
  bool count = false;             // only report the number of iterations of the image
  std::int32_t size = 512;        // pixels along an edge
  std::int32_t iterations = 256;  // at most, per pixel
  Region region;
  std::optional<Cost> cost;  // declared if at least one of its parts is given
  strategies::Plan plan;     // includes the number of pixels in a task
  std::string output;        // image file; empty: none
  std::string map;           // file for the task map; empty: none
};

void add_options(command_line::po::options_description& options);
emu::Result<void> read_options(const command_line::Given& given, int ranks, Options& to);

}  // namespace mase
