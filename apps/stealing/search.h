// Searches a tree with all ranks: each visits what it has, and steals from others when it has nothing left.
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
  std::int64_t stolen = 0;    // chunks that came from another rank
  std::int64_t attempts = 0;  // to get one
};

// Collective over `comm`; the outcome is at rank 0, which has the root.
Outcome search(const Plan& plan, MPI_Comm comm);

}  // namespace stealing
