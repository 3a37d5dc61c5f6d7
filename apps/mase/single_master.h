// Strategy SI: one master deals tasks to all other ranks, the next one to whoever returns a result first.
//
//   task    master -> slave    8 bytes: first item, number of items (int32 each); no items: stop
//   result  slave -> master    8 bytes: the task it belongs to; then the results of its items
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>

#include "workload.h"

namespace mase {

inline constexpr int master_rank = 0;

// Computes the items of `range` in tasks of `task_items` items (the last may be smaller). Collective over
// `comm`; `range` and `results` matter at rank 0 only. Item i's result goes to `results` at i * item_bytes().
// Alone in `comm`, the master computes everything itself, task by task.
void run_single_master(const Workload& workload, Range range, std::int32_t task_items,
                       std::span<std::byte> results, MPI_Comm comm);

}  // namespace mase
