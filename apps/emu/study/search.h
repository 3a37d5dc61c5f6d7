// Search for the number of ranks with the least time.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

namespace emu::app::studies {

// Known times: predicted seconds by number of ranks; infinite if the program failed.
using Known = std::map<int, double>;

// The flat region contains all points within this fraction of the optimum.
inline constexpr double flat_share = 0.02;

// The lowest points of the curve's known valleys, the lowest first, at most `most_valleys`. Between
// two valleys there is a point that is higher than both by more than flat_share.
inline constexpr std::size_t most_valleys = 4;
std::vector<int> valleys(const Known& known);

// The next of `ranks` (ascending) that a search for the least time has to run; nothing when the minimum of each valley
// is bracketed by its neighbours in `ranks` and the ends of the flat region are known. The order is: the ends and the
// doublings between them; the middles of the gaps next to the minimum; those at the ends of the flat region; the
// middles of the gaps next to the minimum of every other visible valley. A valley between two points that ran may
// remain invisible, and is then not found. Depends on `known` alone, so a stopped study can
// continue.
std::optional<int> next_of_search(const std::vector<int>& ranks, const Known& known);

// A step of a search along a line of which `known` contains some indices, with `at`. Between `at` and the nearest
// known index on the side with the greater gap; nothing if its neighbours are known, or no further index is known.
std::optional<int> beside(const Known& known, int at);
// From `at` forward or back: between the last flat index and the first one that is not.
std::optional<int> at_end_of_flat(const Known& known, int at, bool forward);

// The middle of the greater gap beside the minimum of `known`; nothing if its neighbours in `ranks` are known.
std::optional<int> next_beside(const std::vector<int>& ranks, const Known& known);

// The remaining runs of the search, at most `most`, if the curve were linear between known points. Only the first is
// certain.
std::vector<int> expected_of_search(const std::vector<int>& ranks, Known known, std::size_t most);

}  // namespace emu::app::studies
