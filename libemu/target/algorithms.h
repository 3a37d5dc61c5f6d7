// Algorithms of collective operations: [collectives] of a target file.
#pragma once

#include <string>

#include "model/algorithms.h"
#include "target/table.h"

namespace emu::target {

// The keys of [collectives] that choose algorithms: the operations' names.
Keys algorithm_keys();

struct Target;

// A text that is equal for targets on which `ranks` ranks carry out collective operations by equal messages.
std::string ways_of_collectives(const Target& target, int ranks);

// The algorithms in [collectives].
model::Algorithms algorithms(const Table& t);

}  // namespace emu::target
