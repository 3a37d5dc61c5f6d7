// Links between the nodes: [topology] of a target file.
#pragma once

#include "target/table.h"
#include "target/target.h"

namespace emu::target {

// Reads [topology]; `target.network` and `target.nodes` are complete.
void read_topology(const Table& root, Target& target);

}  // namespace emu::target
