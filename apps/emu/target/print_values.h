// emu target: the values of the target, and their uncertainties.
#pragma once

#include <filesystem>
#include <string>

#include "target/target.h"

namespace emu::app {

// The values with an interval, as a table; no output if there are none.
void print_values(const target::Target& t);

// The target for tools: its values in seconds, in seconds per byte, or as a speed, and the half-widths of their 95 %
// intervals, if any.
std::string to_json(const target::Target& t, const std::filesystem::path& file, int ranks);

}  // namespace emu::app
