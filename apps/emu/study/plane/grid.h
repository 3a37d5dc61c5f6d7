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
  std::vector<int> nodes, slots,
      threads;  // ascending; no threads: the target and the environment determine them
  // The names with values, as swept names that can be put into arguments.
  std::vector<Sweep> sweeps() const;
};

// "nodes=1..8 slots=1,2,4 threads=1,2": values as in --ranks. `slots` defaults to 1.
Result<Grid> parse_grid(const std::string& text);

// A setting of a grid in the target: slots and cores of all nodes, which ranks fill one after another.
Variation placed(const Variation& variation, const Setting& setting);

// Number of ranks on a node in a setting of a grid.
int slots_of(const Setting& setting);

// Environment of a setting's program: variables with replaced names in braces, and OMP_NUM_THREADS for a grid's
// threads.
std::map<std::string, std::string> environment_of(const Setting& setting, bool in_grid);

}  // namespace emu::app::studies
