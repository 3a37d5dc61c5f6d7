// Numbers of ranks on a command line.
#pragma once

#include <string>
#include <vector>

#include "base/failure.h"

namespace emu::app {

inline constexpr int most_ranks = 1'000'000;  // of any target

// Reads `text`, the argument of `what`, as a number from 1 to `most`.
Result<int> whole_number(const std::string& what, const std::string& text, int most);

// "2..64", "2..64:2", "2..64*2", "2,4,8..16": numbers of ranks, ascending and unique. `step` applies to ranges without
// one. parse_numbers() does so for other numbers: `text` is the argument of `what`.
Result<std::vector<int>> parse_numbers(const std::string& what, const std::string& text, int step);
Result<std::vector<int>> parse_ranks(const std::string& text, int step);

}  // namespace emu::app
