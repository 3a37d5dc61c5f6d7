// Messages of collective operations between two groups, as model/collectives.h for one group: the algorithms of MPICH
// 4.0.2 for intercommunicators, in which most of the work is done by collectives inside the groups.
//
// Peers are ranks in both groups together, those of the first group before those of the second. Which comes first is the
// same on all ranks; it decides which of two messages in opposite directions goes first where MPICH lets one wait for the
// other. Each rank's `input` and `output` hold packed bytes, as there; nothing is in place.
#pragma once

#include <span>

#include "model/collectives.h"

namespace emu::model {

// One rank's view of the two groups.
struct Sides {
  int rank = 0;            // in the own group
  int own = 1, other = 1;  // how many are in each
  bool first = true;       // the own group

  // In both together.
  int near(int i) const { return first ? i : other + i; }
  int far(int i) const { return first ? own + i : i; }
};

// Where the root of a rooted operation is.
struct InterRoot {
  enum class Side : std::uint8_t {
    self,   // this rank is it (MPI_ROOT)
    own,    // in the own group: this rank has no part in it (MPI_PROC_NULL)
    other,  // in the other group
  };
  Side side = Side::self;
  int rank = 0;  // other: in the other group
};

// A barrier in each group, then one byte from the first to the second, and back.
Schedule inter_barrier(const Sides& sides);

// To the first of the other group, which tells its own.
Schedule inter_bcast(const Sides& sides, const InterRoot& root, Bytes bytes);

// `block`: bytes of each rank of the other group. Up to 2047 bytes in all: gathered by the first of that group; else
// everyone straight to the root.
Schedule inter_gather(const Sides& sides, const InterRoot& root, Bytes block);
// Everyone straight to the root. `own`: bytes of this rank; `blocks`: at the root.
Schedule inter_gatherv(const Sides& sides, const InterRoot& root, Bytes own, std::span<const Block> blocks);
// As gather, in the opposite direction.
Schedule inter_scatter(const Sides& sides, const InterRoot& root, Bytes block);
Schedule inter_scatterv(const Sides& sides, const InterRoot& root, std::span<const Block> blocks, Bytes own);

// Gathered in each group, then told to the other one: first by the first group. `block`: bytes of this rank; `coming`:
// of each of the other group.
Schedule inter_allgather(const Sides& sides, Bytes block, Bytes coming);
// Everyone straight to the first of the other group, which tells its own: first to the first group. `blocks`: where the
// others' parts go in `output`.
Schedule inter_allgatherv(const Sides& sides, Bytes own, std::span<const Block> blocks);

// Exchanges by pairs, as many as the larger group has members. `sends[i]`, `receives[i]`: what goes to rank i of the other
// group, and comes from it.
Schedule inter_alltoallv(const Sides& sides, std::span<const Block> sends, std::span<const Block> receives);

// Reduced in the other group to its first, which sends it to the root.
Schedule inter_reduce(const Sides& sides, const InterRoot& root, const Reduction& what);
// Reduced in each group to its first; these exchange what they have, and tell their own.
Schedule inter_allreduce(const Sides& sides, const Reduction& what);
// What the other group has is reduced to the first of the own one, in the first group at first; it scatters that. `counts`:
// elements for each of the own group.
Schedule inter_reduce_scatter(const Sides& sides, std::span<const Bytes> counts, const Reduction& what);
// `what.count` elements for each of the own group.
Schedule inter_reduce_scatter_block(const Sides& sides, const Reduction& what);

// What a name takes that both groups agree on: an allreduce in each; then the first of each exchange the first `bytes` of
// its result, and tell their own. `output` has the other group's behind the result.
Schedule inter_names(const Sides& sides, const Reduction& what, Bytes bytes);

}  // namespace emu::model
