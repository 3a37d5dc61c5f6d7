// Nodes that a key of a target file selects.
#pragma once

#include <vector>

#include "target/table.h"
#include "target/target.h"

namespace emu::target {

// A node's number, a list of numbers, a range such as "0-31", the name of a group, or "all". Empty after a reported
// mistake.
std::vector<int> select_nodes(const Table& t, std::string_view key, const Target& target);

}  // namespace emu::target
