// A scatter on a target, as the planner sees it.
//
// The costs of the root's messages are those of the emulated MPI_Scatterv: the root sends to the others in
// rank order, each once, and computes when it has sent everything. For k bytes
//   Tcomm = o_s(k), or (k-1)G if the root's card carries one message at a time and this is more;
//   Tcomp = L + (k-1)G + o_r(k) + the work,
// The root's Tcomm is 0; a rank without items gets no message, and has no costs. For messages above
// the eager limit, the root's two control messages with each rank count as part of Tcomm; another order of the
// answers is not considered. Speeds, links and nodes are those at the start: events are
// not considered.
#pragma once

#include <vector>

#include "scatter/problem.h"
#include "target/target.h"

namespace emu::scatter {

struct Work {
  Items items = 0;
  model::Bytes item_bytes = 0;
  // Cost of an item on the CPU of each rank, in seconds; a single value: on the reference CPU.
  std::vector<double> item_seconds;
};

// One processor for each of the first `ranks` ranks, in their order. Fails if the work is invalid, or too expensive.
Result<std::vector<Processor>> processors(const target::Target& target, int ranks, int root,
                                          const Work& work);

// Time to move all the items from rank `from` to rank `to`.
Interval moving(const target::Target& target, int ranks, int from, int to, const Work& work);

}  // namespace emu::scatter
