// Search for the least time over several dimensions, such as ranks and the size of a task.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

namespace emu::app::studies {

// A point of the search space: an index into the values of each dimension.
using Cell = std::vector<int>;
// Known points: predicted seconds; infinite if the program failed.
using KnownCells = std::map<Cell, double>;
// The number of values of each dimension. Their order matters: neighbours have similar times.
using Sizes = std::vector<int>;

std::size_t cells_of(const Sizes& sizes);
// The points that differ from `cell` by at most 1 in each dimension.
std::vector<Cell> neighbours(const Sizes& sizes, const Cell& cell);

// Points drawn at random from all, with a fixed seed. If none of them has less time than the optimum, the fraction
// of all points with less time is below better_share() with 95 % confidence, for any times between the runs.
std::vector<Cell> drawn_cells(const Sizes& sizes);
double better_share(std::size_t drawn);

// The next point that a search for the least time has to run; nothing when these have run: all neighbours of the
// minimum, the points 2, 4, 8, ... further along each dimension, the ends of the flat region, other visible valleys,
// the drawn points. First come the ends and the middle of each dimension, in every combination; then, from the minimum
// on, the middles of the gaps along each dimension, and the diagonal neighbours. Depends on `known` alone, so a stopped
// study can continue.
std::optional<Cell> next_of_search(const Sizes& sizes, const KnownCells& known);

// The remaining runs of the search, at most `most`, if times were as estimated. Only the first is certain.
std::vector<Cell> expected_of_search(const Sizes& sizes, KnownCells known, std::size_t most);

}  // namespace emu::app::studies
