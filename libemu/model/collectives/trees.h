// Trees and chains for broadcasts and reductions. Only for use in model/collectives.
#pragma once

#include <vector>

#include "model/collectives/builder.h"

namespace emu::model {

// Neighbours of a rank in a tree; -1: no parent.
struct Place {
  int parent = -1;
  std::vector<int> children;  // in the order of their sends or receives
};

// Numbers are ranks counted from the root. The first four trees are those of Open MPI (its coll_base_topo.c).
enum class Shape {
  chain,     // each number has the next one as its child
  chains,    // four chains of equal length begin at the root
  binary,    // numbers below the left child of the root are odd, below the right child even
  knomial,   // radix 4: a number's children differ from it in one lower digit, the highest digit first
  doubling,  // binomial: a number's parent is the number without its highest bit; the nearest child first
  binomial,  // a number's parent is the number without its lowest bit; the nearest child first
};

Place place(Shape shape, int rank, int size, int root);

}  // namespace emu::model
