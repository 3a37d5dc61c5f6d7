// Range of the optimum, found by runs at those ends of the intervals of the target's values that move it most.
//
// Derivatives determine the range to first order only. Beyond that, another path may become critical, and the
// optimum may move further. So a part of the curve runs again on two targets: in one, each relevant value is at the
// end of its interval that favours more ranks than the optimum has, in the other at the end that favours fewer.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/failure.h"
#include "prediction/uncertainty.h"
#include "study/curve.h"

namespace emu::app::studies {

// The movement of each value that favours more ranks than at the optimum, or fewer.
struct Direction {
  Ends ends;  // all values that affect the time there and at the optimum differently
  // "There": the number of ranks on this side whose time these ends bring nearest to the optimum's, to first order.
  int ranks = 0;
};
// Nothing if no value has different effects on the two, or if no other number of ranks ran on this side.
std::optional<Direction> direction(const Curve& curve, bool more);

// As `ends`, with the opposite end for each value that has the opposite effect in runs of the two
// numbers of ranks at these ends: a load of the master counts as soon as all ranks wait for the master.
Ends turned(const Ends& ends, const Point& there, const Point& optimum, const Uncertainties& intervals);

// All values at the ends that make a master wait longer for its slaves, for more ranks, or that load it more, for
// fewer: latency and slow CPUs against overheads and gaps. Derivatives do not show this while the master has free time.
Ends of_a_master(const Uncertainties& intervals, bool more);

// The text of a target with moved values, which are then exact: each in its table, and times of [network] in all links
// with values of their own. No value becomes negative. `text` is a valid target.
Result<std::string> moved(const Ends& ends, const std::string& text, const std::string& origin);

// The next numbers of ranks to run in `corner`, as far as known; empty when it is complete. First those that ran in
// `curve` from the optimum on, outwards; then, if the curve was searched, a few in the gaps next to the present
// minimum.
inline constexpr int most_between = 3;
std::vector<int> next_of_corner(const Curve& curve, const Corner& corner, const std::vector<int>& ranks,
                                bool search);

}  // namespace emu::app::studies
