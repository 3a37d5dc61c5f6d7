// The strategies: who computes which item of a workload, and who tells whom. All have the same results.
//
//   SI  a single master deals tasks to all other ranks
//   ML  several masters from start to end, each with its share of the tasks and of the other ranks
//   DY  as many masters as are worth having: a master that keeps its slaves waiting makes one of them a
//       secondary master of half its tasks and slaves, and one whose slaves hardly wait gives them back
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

// When DY makes and gives back masters. A slave's wait is that between its request (its result) and the next
// assignment, compared with the round trip of a message while nobody else communicates.
struct Adaptation {
  double split_at = 2.0;   // a mean wait of so many round trips makes a secondary master
  double merge_at = 1.05;  // a mean wait below so many makes a secondary master give back
  int rounds = 16;         // the mean is that of so many results of each slave
  int fewest_slaves = 2;   // that a master keeps, or gets
};

struct Plan {
  Kind kind = Kind::single;
  int masters = 2;  // ML: 1 to the number of ranks
  Dealing dealing = Dealing::scattered;
  std::int32_t task_items = 1;
  Adaptation adaptation;
};

struct Outcome {
  std::vector<std::byte> results;     // item i's at i * item_bytes()
  std::vector<std::int32_t> masters;  // the rank that dealt item i
  int splits = 0;                     // DY: secondary masters made, ...
  int merges = 0;                     // ... and those that gave back before their tasks were done
};

// Computes all items of `workload`, or none if `go`, which matters at rank 0 only, is false. Collective over
// `comm`. The outcome is at rank 0; elsewhere, and if nothing was computed, it is empty.
Outcome run(const Workload& workload, const Plan& plan, bool go, MPI_Comm comm);

}  // namespace strategies
