// Algorithms of collective operations: [collectives] of a target file.
#pragma once

#include "model/algorithms.h"
#include "target/table.h"

namespace emu::target {

// The keys of [collectives] that choose algorithms: the operations' names.
Keys algorithm_keys();

// The algorithms in [collectives].
model::Algorithms algorithms(const Table& t);

}  // namespace emu::target
