// A second implementation of the collective operations, from their published descriptions: R. Thakur, R. Rabenseifner,
// W. Gropp, "Optimization of Collective Communication Operations in MPICH", IJHPCA 19(1), 2005; J. Bruck et al.,
// "Efficient Algorithms for All-to-All Communications in Multiport Message-Passing Systems", 1997; D. Hensgen, R.
// Finkel, U. Manber, "Two Algorithms for Barrier Synchronization", 1988; J. L. Traeff, "An Improved Algorithm for
// (Non-commutative) Reduce-Scatter", 2005. This code shares nothing with libemu/model/collectives: there a rank
// computes its own steps, here all ranks are simulated round by round.
//
// libemu/model/collectives.h describes the choice of algorithms by size in MPICH 4.0.2, and the empty messages that it
// sends.
#pragma once

#include "reference/collectives/plan.h"

namespace emu::reference {

struct Operands {
  Bytes count = 0;    // elements of each rank
  Bytes element = 1;  // bytes of one
  bool commutative = true;
  bool predefined = true;

  Bytes bytes() const { return count * element; }
};

using Sizes = std::vector<Bytes>;   // by rank
using Matrix = std::vector<Sizes>;  // [from][to]

// The members are on these nodes, in rank order. If a node has several, its leader acts for it where MPICH does so.
Plan barrier_by_nodes(const std::vector<int>& nodes);
Plan broadcast_by_nodes(const std::vector<int>& nodes, int root, Bytes bytes);
Plan reduce_by_nodes(const std::vector<int>& nodes, int root, const Operands& what);
Plan all_reduce_by_nodes(const std::vector<int>& nodes, const Operands& what);
// Each member has a node of its own.
Plan barrier(int size);
Plan broadcast(int size, int root, Bytes bytes);
// `in_place`: the contribution is in the place of the result, of rooted operations at the root.
Plan reduce(int size, int root, const Operands& what, bool in_place = false);
Plan all_reduce(int size, const Operands& what, bool in_place = false);
// Elements; what.count is not used.
Plan reduce_scatter(const Sizes& counts, const Operands& what, bool in_place = false);
Plan reduce_scatter_block(int size, const Operands& what, bool in_place = false);
Plan scan(int size, const Operands& what, bool in_place = false);
Plan scan_of_lower(int size, const Operands& what);  // exscan
Plan gather(int size, int root, Bytes block, bool in_place = false);
Plan scatter(int size, int root, Bytes block, bool in_place = false);
Plan gather_parts(int root, const Sizes& parts, bool in_place = false);
Plan scatter_parts(int root, const Sizes& parts, bool in_place = false);
Plan all_gather(int size, Bytes block, bool in_place = false);
// Elements have `element` bytes, and are `extent` bytes apart in memory.
Plan all_gather_parts(const Sizes& counts, Bytes element, Bytes extent, bool in_place = false);
Plan all_to_all(int size, Bytes block, bool in_place);
Plan all_to_all_parts(const Matrix& parts, bool in_place);

}  // namespace emu::reference
