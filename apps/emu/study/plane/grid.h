// --grid: nodes, ranks on each node, and threads of each rank.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"
#include "study/plane/sweep.h"
#include "study/variation.h"

namespace emu::app::studies {

struct Grid {
  std::vector<int> nodes, slots, threads;  // rising; no threads: the target and the environment say it
  // Those of these names that have values, as swept ones: they can be put into arguments.
  std::vector<Sweep> sweeps() const;
};

// "nodes=1..8 slots=1,2,4 threads=1,2": values as --ranks has them. `slots` is 1 if it is not there.
Result<Grid> parse_grid(const std::string& text);

// What a setting of a grid is in the target: slots and cores of all nodes, which ranks fill one after another.
Variation placed(const Variation& variation, const Setting& setting);

// Ranks on a node by a setting of a grid.
int slots_of(const Setting& setting);

// The variables that a setting's program gets: those with names in braces replaced, and OMP_NUM_THREADS for the threads of a grid.
std::map<std::string, std::string> environment_of(const Setting& setting, bool in_grid);

}  // namespace emu::app::studies
