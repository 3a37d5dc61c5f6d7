// emu target: what happens at instants.
#pragma once

#include <string>

#include "target/target.h"

namespace emu::app {

// Everything that changes with time, as a table; no word if nothing does.
void print_events(const target::Target& t);

// What is right in a file, but hardly meant: that no rank of so many, or none on some node, can go on for ever.
void warn_of_ends(const target::Target& t, int ranks, const std::string& file);

}  // namespace emu::app
