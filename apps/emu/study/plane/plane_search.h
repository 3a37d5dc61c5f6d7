// Search for the least time over several dimensions at once, such as ranks and the size of a task.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

namespace emu::app::studies {

// A place in the space that is searched: an index into the values of each dimension.
using Cell = std::vector<int>;
// What is known: predicted seconds; infinite where the program failed.
using KnownCells = std::map<Cell, double>;
// How many values each dimension has. Their order means something: neighbours have like times.
using Sizes = std::vector<int>;

std::size_t cells_of(const Sizes& sizes);
// Those that differ from `cell` by at most 1 in each dimension.
std::vector<Cell> neighbours(const Sizes& sizes, const Cell& cell);

// Cells drawn at random from all, with a fixed seed. If none of them has less time than the optimum, the share of all cells that have
// less is below better_share() with 95 % confidence: whatever the times look like between the runs.
std::vector<Cell> drawn_cells(const Sizes& sizes);
double better_share(std::size_t drawn);

// The next cell that a search for the least time has to run; nothing when it is complete: all neighbours of the least ran, and so did
// those 2, 4, 8, ... further along each dimension, the ends of the flat region along each dimension are known, other valleys that show were followed, and the drawn cells ran. First come the ends
// and the middle of each dimension, in every combination; then, from the least on, the middles of the gaps along each dimension, and the
// diagonal neighbours. It depends on `known` alone, so a study that is stopped goes on where it was.
std::optional<Cell> next_of_search(const Sizes& sizes, const KnownCells& known);

// The runs that the search still takes, at most `most`, as it is played on a guess of the times. All but the first are an estimate.
std::vector<Cell> expected_of_search(const Sizes& sizes, KnownCells known, std::size_t most);

}  // namespace emu::app::studies
