// The command line of `emu calibrate`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"

namespace emu::app::calibration {

struct Options {
  bool help = false;   // then no other option is set
  std::string output;  // the target file to be written
  std::vector<int> ranks;
  std::vector<std::string> mpirun;
  std::string target;  // target to be emulated in place of a native measurement
  std::string name;
  std::string measurements;                      // folder for the measurements; empty: none
  int nodes = 0;                                 // 0: equal to the number of ranks
  std::int64_t longest = std::int64_t{4} << 20;  // bytes of a message
  bool quick = false;
  bool cold = false;  // buffers: --buffers cold
  int slots = 0;      // ranks of each of two nodes that talk at once, to measure their cards; 0: not measured
  // Measurements of other tools: files, and the format of each.
  std::vector<std::string> from, formats;
  std::optional<std::int64_t> eager_limit;  // with `from`; nothing: no message waits for its receiver
  bool serial = true;                       // with `from`: the network cards are serial
  int pieces = 8;  // with `from`: greatest number of lines of each kind of measurement
};

Result<Options> parse_options(const std::vector<std::string>& args);
std::string help();

}  // namespace emu::app::calibration
