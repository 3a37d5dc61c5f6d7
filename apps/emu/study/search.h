// Search for the number of ranks with the least time.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

namespace emu::app::studies {

// What is known: predicted seconds by number of ranks; infinite where the program failed.
using Known = std::map<int, double>;

// The flat region: all that is no further than this from the optimum.
inline constexpr double flat_share = 0.02;

// The lowest points of the curve's valleys as far as they are known, the lowest first, at most `most_valleys`.
// Two valleys have something between them that is higher than both by more than flat_share.
inline constexpr std::size_t most_valleys = 4;
std::vector<int> valleys(const Known& known);

// The next of `ranks` (rising) that a search for the least time has to run; nothing when the least of each
// valley is bracketed by its neighbours in `ranks` and the ends of the flat region are known. First the ends and
// the doublings between, then the middles of the gaps beside the least, then those at the ends of the flat
// region, then the middles of the gaps beside the least of every other valley that shows by then. One that lies
// between two points that ran and shows in neither is not found. It depends on `known` alone, so a study that is
// stopped goes on where it was.
std::optional<int> next_of_search(const std::vector<int>& ranks, const Known& known);

// Steps of a search along a line of which `known` has some indices, `at` among them. Between the nearest known on that side
// of `at` that has more of a gap, and `at`; nothing if its neighbours are known or nothing is known beyond.
std::optional<int> beside(const Known& known, int at);
// Going from `at` forward or back: between the last that is flat and the first that is not.
std::optional<int> at_end_of_flat(const Known& known, int at, bool forward);

// The middle of the greater gap beside the least of `known`; nothing when its neighbours in `ranks` are known.
std::optional<int> next_beside(const std::vector<int>& ranks, const Known& known);

// The runs that the search still takes, at most `most`, as it is played on the curve as known, straight between. All but the first
// are an estimate.
std::vector<int> expected_of_search(const std::vector<int>& ranks, Known known, std::size_t most);

}  // namespace emu::app::studies
