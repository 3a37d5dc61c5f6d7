// Exchange argument of the exact planner: an item that is given early need not be given late.
//
// Let the root be at processor i + 1, and compare two states: one has given K items more, and is later by d. If
//   d <= K r,   r = the least of Tcomm(1) of the processors behind, and of Tcomm(1) + Tcomp(1) of the last one,
// then whatever is done after the other state can be done after this one, with K items less: they are taken from the
// first processors behind, as many as these have. What is left of them is then received no later than before: with all
// K taken away, K r or more of the root's time is saved; before, only processors that now get nothing are late. So the
// other state goes. (It holds for costs that are linear, and the better if a fixed part is saved, too.)
//
// In descending order of bandwidth, where the root computes no faster than it sends, this leaves one state: there it
// is best to give each in turn as much as it can finish. In other orders it is not.
#pragma once

#include <vector>

#include "scatter/problem.h"

namespace emu::scatter {

struct Exchange {
  __extension__ using Wide = __int128;

  // In femtoseconds: what a state has spent of the root's time, less what is saved for its items. It makes another
  // one with no more items needless if that has spent `margin` more.
  Wide spent(Interval port, Items given) const {
    return static_cast<Wide>(port.picoseconds()) * 1000 - static_cast<Wide>(rate) * given;
  }

  std::int64_t rate = 0;    // r; 0: nothing is known, as a processor behind is not affine
  std::int64_t margin = 0;  // by so much costs may be off, as they are rounded to picoseconds
  // Processor i itself: if one number is made needless by a larger one, so are all below it; and its own margin.
  bool rising = false;
  std::int64_t own_margin = 0;
};

// [i]: for states after the processors 0 ... i.
std::vector<Exchange> exchanges(const Problem& problem);

}  // namespace emu::scatter
