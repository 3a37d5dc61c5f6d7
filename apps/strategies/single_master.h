// Strategy SI: one master deals tasks to all other ranks, the next one to whoever returns a result first.
//
//   task    master -> slave    8 bytes: first item, number of items (int32 each); no items: stop
//   result  slave -> master    8 bytes: the task it belongs to; then the results of its items
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>

#include "dealer.h"
#include "workload.h"

namespace strategies {

inline constexpr int master_rank = 0;

// Computes the tasks of `share`. Collective over `comm`; `results` matters at rank 0 only, and of the share
// all but the size of a task. Item i's result goes to `results` at i * item_bytes(). Alone in `comm`, the
// master computes everything itself, task by task.
void run_single_master(const Workload& workload, const Share& share, std::span<std::byte> results,
                       MPI_Comm comm);

}  // namespace strategies
