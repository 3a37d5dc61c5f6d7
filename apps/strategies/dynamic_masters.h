// Strategy DY: masters that split and merge. Rank 0 begins as the only master. A master whose slaves wait too long
// between a request and the next assignment makes one of them a secondary master, with half of its slaves and tasks.
// Secondary masters can do the same. A secondary master gives back its slaves and itself when its tasks are done.
// It also does so earlier, with its remaining tasks, if its slaves hardly wait, because then its parent can serve
// them as well.
//
//   order   master -> slave    16 bytes, see Order: work, join another master, lead a group, stop
//   report  slave -> master    24 bytes, see Report: a result with how long the slave waited for the task, a
//                              request without a result, or a master's return, followed by its segments
//
// The next order to a rank always comes from the master to which it last reported, so no message can overtake
// one from another master.
#pragma once

#include <mpi.h>

#include "strategy.h"

namespace strategies {

// See run() in strategy.h.
Outcome run_dynamic_masters(const Workload& workload, std::int32_t task_items, const Adaptation& adaptation,
                            bool go, MPI_Comm comm);

}  // namespace strategies
