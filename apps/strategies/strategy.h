// The strategies: assignment of the items of a workload to the ranks that compute them, and to the masters that deal
// them. All strategies give equal results.
//
//   SI  a single master deals tasks to all other ranks
//   ML  several masters from start to end, each with its share of the tasks and of the other ranks
//   DY  a variable number of masters: a master that keeps its slaves waiting makes one of them a secondary
//       master of half its tasks and slaves, and one whose slaves hardly wait gives them back
//
// After Mizutani, Ino and Hagihara (2004).
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "groups.h"
#include "workload.h"

namespace strategies {

enum class Kind { single, multiple, dynamic };

// Thresholds at which DY makes and gives back masters. A slave's wait is the time between its request (its result)
// and the next assignment, divided by the time of a round trip of a message while no other rank communicates.
struct Adaptation {
  double split_at = 2.0;   // round trips: a mean wait of this length makes a secondary master
  double merge_at = 1.05;  // round trips: below this mean wait, a secondary master gives back
  int rounds = 16;         // number of results of each slave over which the mean is taken
  int fewest_slaves = 2;   // least number of slaves that a master keeps, or gets
};

struct Plan {
  Kind kind = Kind::single;
  int masters = 2;  // ML: 1 to the number of ranks
  Dealing dealing = Dealing::scattered;
  std::int32_t task_items = 1;
  Adaptation adaptation;
};

struct Outcome {
  std::vector<std::byte> results;     // item i has its result at i * item_bytes()
  std::vector<std::int32_t> masters;  // the rank that dealt item i
  int splits = 0;                     // DY: number of secondary masters made, ...
  int merges = 0;                     // ... and number of those that gave back before their tasks were done
};

// Computes all items of `workload`; none if `go` is false, which counts at rank 0 only. Collective over `comm`. The
// outcome is at rank 0. At other ranks, and if nothing was computed, it is empty.
Outcome run(const Workload& workload, const Plan& plan, bool go, MPI_Comm comm);

}  // namespace strategies
