// Changes of nodes' speeds with time: [[availability]], [[event]] and [[load]] of a target file.
#pragma once

#include "target/table.h"
#include "target/target.h"

namespace emu::target {

// Fills in `speeds`; nodes are complete. `read` returns the text of a file by its name.
void read_changes(const Table& root, const ReadFile& read, Target& target);

}  // namespace emu::target
