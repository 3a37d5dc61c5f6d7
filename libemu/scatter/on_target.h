// A scatter on a target, as the planner sees it.
//
// What the root's messages cost is that of MPI_Scatterv as it is emulated: the root sends to the others in
// rank order, each once, and computes when it has sent everything. For k bytes
//   Tcomm = o_s(k), or (k-1)G where the root's card carries one message at a time and that is more;
//   Tcomp = L + (k-1)G + o_r(k) + the work,
// the root's Tcomm is 0, and so is all for a rank without items, which gets no message. For messages above
// the eager limit, the two control messages that the root has with each count as part of Tcomm; that the
// answers may come in another order is not in it. Speeds, links and nodes are those at the start: events are
// not in it.
#pragma once

#include <vector>

#include "scatter/problem.h"
#include "target/target.h"

namespace emu::scatter {

struct Work {
  Items items = 0;
  model::Bytes item_bytes = 0;
  // What an item costs on the CPU of each rank, in seconds; one value for all: on the reference CPU.
  std::vector<double> item_seconds;
};

// One for each of the first `ranks` ranks, in their order. Failure if the work is none, or too dear to tell.
Result<std::vector<Processor>> processors(const target::Target& target, int ranks, int root,
                                          const Work& work);

// How long all the items take from rank `from` to rank `to`.
Interval moving(const target::Target& target, int ranks, int from, int to, const Work& work);

}  // namespace emu::scatter
