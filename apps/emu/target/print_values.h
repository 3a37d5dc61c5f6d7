// emu target: the values of the target, and how well they are known.
#pragma once

#include <filesystem>
#include <string>

#include "target/target.h"

namespace emu::app {

// Those that have an interval, as a table; no word if none has.
void print_values(const target::Target& t);

// The target for tools: its values in seconds, in seconds per byte, or as a speed, and the half-widths of their 95 %
// intervals, where they have one.
std::string to_json(const target::Target& t, const std::filesystem::path& file, int ranks);

}  // namespace emu::app
