// Strategy SI: one master deals tasks to all other ranks. The first rank that returns a result gets the next task.
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

// Computes the tasks of `share`. Collective over `comm`. `results` is used at rank 0 only; of `share`, the other ranks
// use only the size of a task. The result of item i goes to `results` at i * item_bytes(). If the master is alone in
// `comm`, it computes all tasks itself.
void run_single_master(const Workload& workload, const Share& share, std::span<std::byte> results,
                       MPI_Comm comm);

}  // namespace strategies
