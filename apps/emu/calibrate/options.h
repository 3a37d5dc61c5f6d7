// The command line of `emu calibrate`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"

namespace emu::app::calibration {

struct Options {
  bool help = false;   // then nothing else is set
  std::string output;  // the target file to write
  std::vector<int> ranks;
  std::vector<std::string> mpirun;
  std::string target;  // emulate this one instead of measuring natively
  std::string name;
  std::string measurements;                      // folder that keeps what was measured; empty: none
  int nodes = 0;                                 // 0: as many as ranks
  std::int64_t longest = std::int64_t{4} << 20;  // bytes of a message
  bool quick = false;
  // Measurements of other tools, in place of measuring: files, and the format of each.
  std::vector<std::string> from, formats;
  std::optional<std::int64_t> eager_limit;  // with `from`: none, no message waits for its receiver
  bool serial = true;                       // with `from`: the network cards
  int pieces = 8;                           // with `from`: most lines of each kind of measurement
};

Result<Options> parse_options(const std::vector<std::string>& args);
std::string help();

}  // namespace emu::app::calibration
