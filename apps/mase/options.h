// The command line of mase.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/failure.h"
#include "mandelbrot.h"

namespace mase {

struct Options {
  bool help = false;
  bool count = false;             // only say how many iterations the image takes
  std::int32_t size = 512;        // pixels along an edge
  std::int32_t task = 1;          // pixels per task
  std::int32_t iterations = 256;  // at most, per pixel
  Region region;
  std::optional<Cost> cost;  // declared, if at least one part of it is given
  std::string output;        // image file; empty: none
};

emu::Result<Options> read_options(int argc, char** argv);
std::string help();

}  // namespace mase
