// emu target: events at instants.
#pragma once

#include <string>

#include "target/target.h"

namespace emu::app {

// Everything that changes with time, as a table; no output if nothing does.
void print_events(const target::Target& t);

// Warns of valid but probably unintended files: no rank of this number, or no rank on some node, can continue for ever.
void warn_of_ends(const target::Target& t, int ranks, const std::string& file);

}  // namespace emu::app
