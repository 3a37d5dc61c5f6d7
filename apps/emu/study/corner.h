// Range of the optimum, found by runs at the ends of the intervals of the target's values that move it most.
//
// Derivatives tell that to first order only. Beyond it another path may become the critical one, and the optimum go
// further. So a part of the curve runs again on two targets: on one each value that matters stands at that end of its
// interval which favours more ranks than the optimum has, on the other at that which favours fewer.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/failure.h"
#include "common/uncertainty.h"
#include "study/curve.h"

namespace emu::app::studies {

// By how much each value moves, and which way, for more ranks than at the optimum, or for fewer, to take less time.
struct Direction {
  Ends ends;  // all values of which the time there and at the optimum depend differently
  int ranks =
      0;  // "there": the number of ranks on this side which they bring nearest to the optimum, to first order
};
// Nothing if no value tells the two apart, or if no other number of ranks ran on this side.
std::optional<Direction> direction(const Curve& curve, bool more);

// The same ends, but where runs of the two numbers of ranks at these ends show that a value does the opposite there: what
// keeps a master busy counts as soon as it is the master that all wait for.
Ends turned(const Ends& ends, const Point& there, const Point& optimum, const Uncertainties& intervals);

// All values at the ends that make a master wait longer for its slaves, for more ranks, or be busier itself, for fewer:
// latency and slow CPUs against overheads and gaps. Derivatives do not show it where the master has time to spare.
Ends of_a_master(const Uncertainties& intervals, bool more);

// The text of a target with its values moved, exact ones then: each in its table, and times of [network] in all links
// that have their own. None becomes less than 0. `text` is a good target.
Result<std::string> moved(const Ends& ends, const std::string& text, const std::string& origin);

// The numbers of ranks to run next in `corner`, as far as they are known; empty when it is complete. First those that ran in
// `curve` from the optimum on, outwards; then, where the curve was searched, a few in the gaps beside the least that there is
// now.
inline constexpr int most_between = 3;
std::vector<int> next_of_corner(const Curve& curve, const Corner& corner, const std::vector<int>& ranks,
                                bool search);

}  // namespace emu::app::studies
