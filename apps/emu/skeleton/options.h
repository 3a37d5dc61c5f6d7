// The command line of `emu skeleton`: an action, its options, and its purpose.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"

namespace emu::app::skeletons {

enum class Action { record, compress, extrapolate, build, run };
inline constexpr const char* action_names[] = {"record", "compress", "extrapolate", "build", "run"};

struct Options {
  bool help = false;  // then no other option is set
  Action action = Action::record;
  std::optional<int> ranks;
  std::string target;  // empty: natively
  std::string from;    // target of the recording; empty: `target`
  std::string output;  // file or folder; empty: none
  std::string json;    // file, "-" for standard output, empty for none
  double scale = 10;
  double tolerance = 0.1;
  bool preload = false;
  bool processes = false;          // the skeleton runs as a C program
  std::string mpirun;              // further options of mpirun, one word
  std::string log_level;           // empty: default
  std::vector<std::string> words;  // the program and its arguments; or recordings
};

std::string help_text();
Result<Options> parse_options(const std::vector<std::string>& args);

}  // namespace emu::app::skeletons
