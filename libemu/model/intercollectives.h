// Messages of collective operations between two groups, as model/collectives.h has them for one group: the
// algorithms of MPICH 4.0.2 for intercommunicators, in which collectives inside the groups do most of the work.
//
// Peers are numbered through both groups, with the ranks of the first group before those of the second. All ranks agree
// which group is first; where MPICH serialises two messages in opposite directions, this order decides which goes
// first. Each rank's `input` and `output` hold packed bytes. No operation is in place.
//
// Work is that of the collectives inside the groups, and memory: of a leader for the blocks or the vector of its group,
// and in reduce_scatter for the vector from the other group, too; of each rank a byte in a barrier, and all blocks in
// allgatherv, from which each block is then copied.
#pragma once

#include <span>

#include "model/collectives.h"

namespace emu::model {

// One rank's view of the two groups.
struct Sides {
  int rank = 0;            // in the own group
  int own = 1, other = 1;  // sizes of the groups
  bool first = true;       // the own group is the first

  // Numbers in both groups together.
  int near(int i) const { return first ? i : other + i; }
  int far(int i) const { return first ? own + i : i; }
};

// Position of the root of a rooted operation.
struct InterRoot {
  enum class Side : std::uint8_t {
    self,   // this rank is the root (MPI_ROOT)
    own,    // in the own group: this rank has no part in the operation (MPI_PROC_NULL)
    other,  // in the other group
  };
  Side side = Side::self;
  int rank = 0;  // other: rank in the other group
};

// A barrier in each group, then one byte from the first to the second, and back.
Schedule inter_barrier(const Sides& sides);

// The root sends to the leader of the other group, which broadcasts in its group. A leader is the first member of its
// group.
Schedule inter_bcast(const Sides& sides, const InterRoot& root, Bytes bytes);

// `block`: bytes of each rank of the other group. Up to 2047 bytes in all: the leader of that group gathers; otherwise
// all ranks send directly to the root.
Schedule inter_gather(const Sides& sides, const InterRoot& root, Bytes block);
// All ranks send directly to the root. `own`: bytes of this rank; `blocks`: at the root.
Schedule inter_gatherv(const Sides& sides, const InterRoot& root, Bytes own, std::span<const Block> blocks);
// As gather, in the opposite direction.
Schedule inter_scatter(const Sides& sides, const InterRoot& root, Bytes block);
Schedule inter_scatterv(const Sides& sides, const InterRoot& root, std::span<const Block> blocks, Bytes own);

// Each group gathers, then the leaders send to the other group: the first group first.
// `block`: bytes of this rank; `coming`: bytes of each rank of the other group.
Schedule inter_allgather(const Sides& sides, Bytes block, Bytes coming);
// All ranks send directly to the other group's leader, which broadcasts in its group:
// to the first group first. `blocks`: places of the other group's parts in `output`.
Schedule inter_allgatherv(const Sides& sides, Bytes own, std::span<const Block> blocks);

// Exchanges by pairs, as many as the larger group has members. `sends[i]`,
// `receives[i]`: the data for rank i of the other group, and from it.
Schedule inter_alltoallv(const Sides& sides, std::span<const Block> sends, std::span<const Block> receives);

// The other group reduces to its leader, which sends the result to the root.
Schedule inter_reduce(const Sides& sides, const InterRoot& root, const Reduction& what);
// Each group reduces to its leader; the leaders exchange the results, and broadcast in their groups.
Schedule inter_allreduce(const Sides& sides, const Reduction& what);
// The remote group's data are reduced to this group's leader, which scatters them;
// the first group does so first. `counts`: elements for each rank of the own group.
Schedule inter_reduce_scatter(const Sides& sides, std::span<const Bytes> counts, const Reduction& what);
// `what.count` elements for each rank of the own group.
Schedule inter_reduce_scatter_block(const Sides& sides, const Reduction& what);

// Agreement on a name by both groups: an allreduce in each; then the leaders exchange the first `bytes` of the results,
// and broadcast in their groups. In `output`, the other group's result follows the own one.
Schedule inter_names(const Sides& sides, const Reduction& what, Bytes bytes);

// The leaders exchange `own` bytes for `theirs`, and broadcast them in their groups.
Schedule inter_trade(const Sides& sides, Bytes own, Bytes theirs);

}  // namespace emu::model
