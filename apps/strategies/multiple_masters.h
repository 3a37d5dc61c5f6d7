// Strategy ML: several masters from start to end. The ranks are cut into groups of neighbours, as equal as possible.
// The first rank of a group is its master, and deals its share of the tasks to the group as in strategy SI. In a group
// of one rank, the master computes its share itself. Rank 0 is a master too, and collects the results when its own
// share is done.
#pragma once

#include <mpi.h>

#include "strategy.h"

namespace strategies {

struct MultipleMasters {
  int masters = 1;  // not more than there are ranks
  Dealing dealing = Dealing::scattered;
  std::int32_t task_items = 1;
};

// See run() in strategy.h.
Outcome run_multiple_masters(const Workload& workload, const MultipleMasters& plan, bool go, MPI_Comm comm);

}  // namespace strategies
