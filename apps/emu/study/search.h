// Which numbers of ranks a study still has to run.
#pragma once

#include <map>
#include <optional>
#include <vector>

namespace emu::app::studies {

// What is known: predicted seconds by number of ranks; infinite where the program failed.
using Known = std::map<int, double>;

// The flat region: all that is no further than this from the optimum.
inline constexpr double flat_share = 0.02;

// The next of `ranks` (rising) that a search for the least time has to run; nothing when the optimum is
// bracketed by its neighbours in `ranks` and the ends of the flat region are known. It takes the curve to
// fall and then to rise: first the ends and the doublings between, then the middles of the gaps beside the
// least, then those at the ends of the flat region. It depends on `known` alone, so a study that is stopped
// goes on where it was.
std::optional<int> next_of_search(const std::vector<int>& ranks, const Known& known);

// About how many runs the search still takes: it is played on the curve as known, straight between.
int left_of_search(const std::vector<int>& ranks, Known known);

}  // namespace emu::app::studies
