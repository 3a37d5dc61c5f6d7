// The command line of `emu farm`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"
#include "farm/question.h"
#include "farm/tasks.h"

namespace emu::app::farms {

struct Options {
  bool help = false;  // then no other option is set
  std::string target;
  std::optional<std::int32_t> tasks;
  std::optional<Drawn> drawn;  // costs of the tasks, or:
  std::string csv, column;
  std::string trace;         // folder
  Question question;         // without the costs of tasks
  std::vector<Policy> ways;  // at least one
  std::vector<int> ranks;    // ascending; empty: not given
  int step = 1;
  bool search = false;
  std::string json;
  std::string picture, heat_map;
  std::string log_level;  // empty: not given
};

Result<Options> parse_options(const std::vector<std::string>& args);
std::string help();

}  // namespace emu::app::farms
