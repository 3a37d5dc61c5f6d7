// Node groups, and the node of each rank: [[node]] and [placement] of a target file.
#pragma once

#include <vector>

#include "target/table.h"
#include "target/target.h"

namespace emu::target {

// Reports names that two groups share, or that have another meaning.
void check_names(const std::vector<Table>& tables, const std::vector<NodeGroup>& groups);
// Reports a number of slots above the limit.
void check_slots(const std::vector<Table>& tables, const std::vector<NodeGroup>& groups);
// Reads [placement]; `target.nodes` is complete.
Placement placement(const Table& root, const Target& target);

}  // namespace emu::target
