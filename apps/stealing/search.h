// Search of a tree by all ranks. Each rank visits its nodes, and steals from others when it has none left.
#pragma once

#include <mpi.h>

#include "tree.h"

namespace stealing {

struct Plan {
  Tree tree;
  std::int32_t chunk = 8;  // nodes
  double cost = 1e-4;      // of a node, in seconds on the reference CPU
};

struct Outcome {
  Found found;
  std::int64_t stolen = 0;    // chunks taken from other ranks
  std::int64_t attempts = 0;  // number of tries to take a chunk of another rank
};

// Collective over `comm`; the outcome is at rank 0, which has the root.
Outcome search(const Plan& plan, MPI_Comm comm);

}  // namespace stealing
