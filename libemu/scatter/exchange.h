// Exchange argument of the exact planner: an item given early need not be given late.
//
// Let the root be at processor i + 1, and compare two states: one has given K items more, and is later by d. If
//   d <= K r,   r = the least of Tcomm(1) of the later processors, and of Tcomm(1) + Tcomp(1) of the last one,
// then any continuation of the other state is possible from this one with K items less. They are taken from the first
// of the later processors, as many as these have. The rest of their items is received no later than before: if all K
// are taken away, K r or more of the root's time is saved; otherwise, only processors that now get nothing are late.
// So the other state is dropped. (This holds for linear costs, and all the more if a fixed part is saved, too.)
//
// In descending order of bandwidth, with a root that computes no faster than it sends, one state remains: then it
// is best to give each processor in turn as much as it can finish. In other orders it is not.
#pragma once

#include <vector>

#include "scatter/problem.h"

namespace emu::scatter {

struct Exchange {
  __extension__ using Wide = __int128;

  // In femtoseconds: the root's time spent in a state, less the time saved for its items. A state dominates another
  // one with no more items if the other one has spent `margin` more.
  Wide spent(Interval port, Items given) const {
    return static_cast<Wide>(port.picoseconds()) * 1000 - static_cast<Wide>(rate) * given;
  }

  std::int64_t rate = 0;    // r; 0: unknown, because a later processor is not affine
  std::int64_t margin = 0;  // the error of costs, which are rounded to picoseconds
  // Processor i itself: if a larger number dominates one number, it dominates all smaller ones; and its own margin.
  bool rising = false;
  std::int64_t own_margin = 0;
};

// [i]: for states after the processors 0 ... i.
std::vector<Exchange> exchanges(const Problem& problem);

}  // namespace emu::scatter
