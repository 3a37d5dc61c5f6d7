// The command line of mase.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/failure.h"
#include "mandelbrot.h"
#include "strategies/strategy.h"

namespace mase {

struct Options {
  bool help = false;
  bool count = false;             // only say how many iterations the image takes
  std::int32_t size = 512;        // pixels along an edge
  std::int32_t iterations = 256;  // at most, per pixel
  Region region;
  std::optional<Cost> cost;  // declared, if at least one part of it is given
  strategies::Plan plan;     // with the pixels per task
  std::string output;        // image file; empty: none
  std::string map;           // the same for the task map
};

// Every rank of `ranks` reads the same.
emu::Result<Options> read_options(int argc, char** argv, int ranks);
std::string help();

}  // namespace mase
