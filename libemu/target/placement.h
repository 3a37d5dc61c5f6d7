// Node groups and which rank is where: [[node]] and [placement] of a target file.
#pragma once

#include <vector>

#include "target/table.h"
#include "target/target.h"

namespace emu::target {

// Notes names that two groups have, or that mean something else.
void check_names(const std::vector<Table>& tables, const std::vector<NodeGroup>& groups);
// Notes more slots in all than there can be.
void check_slots(const std::vector<Table>& tables, const std::vector<NodeGroup>& groups);
// Reads [placement]; `target.nodes` is complete.
Placement placement(const Table& root, const Target& target);

}  // namespace emu::target
