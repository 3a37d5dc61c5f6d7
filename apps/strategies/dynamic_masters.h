// Strategy DY: masters that split and merge. Rank 0 begins as the only master. A master whose slaves wait too
// long between their request and the next assignment makes one of them a secondary master, and hands it half
// of its slaves and of its tasks; a secondary master can do the same. It gives its slaves and itself back
// when its tasks are done, or before, with the tasks that are left, if its slaves hardly wait: then the
// master it came from can serve them as well.
//
//   order   master -> slave    16 bytes, see Order: work, join another master, lead a group, stop
//   report  slave -> master    24 bytes, see Report: a result with how long the slave waited for the task, a
//                              request without a result, or a master's return, followed by its segments
//
// What a rank is told to do next comes from the master it last reported to, so no message can be overtaken by
// one from elsewhere.
#pragma once

#include <mpi.h>

#include "strategy.h"

namespace strategies {

// As run() in strategy.h.
Outcome run_dynamic_masters(const Workload& workload, std::int32_t task_items, const Adaptation& adaptation,
                            bool go, MPI_Comm comm);

}  // namespace strategies
