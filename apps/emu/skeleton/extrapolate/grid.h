// Ranks as a grid, and what a rank's neighbours are in it: so that what is said of the ranks of one grid holds for those of
// a larger one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace emu::skeleton {

// Row by row, as MPI_Cart_create numbers them.
struct Grid {
  std::vector<int> sizes;  // the last one is that of neighbouring ranks

  int ranks() const;
  std::vector<int> at(int rank) const;
  int rank(const std::vector<int>& at) const;  // each coordinate is taken modulo its size
};

// How a program may see its ranks: in so many dimensions, the longest first or last, and with even ones apart from odd ones.
struct GridShape {
  int dimensions = 1;
  bool longest_last = false;
  bool parity = false;

  // The sizes nearest to each other whose product it is.
  Grid of(int ranks) const;
  std::string text() const;
};
// All that are tried, the simplest first.
std::vector<GridShape> grid_shapes();

// Where in each dimension a rank is: first, last, between, or alone; and whether that is even. Ranks with the same role are
// alike.
using Role = std::vector<std::uint8_t>;
Role role_of(const Grid& grid, int rank, bool parity);
std::string text_of(const Role& role);

// A rank as another one sees it.
struct Relation {
  enum class Kind { same, from_end, offset, distance, part };
  Kind kind = Kind::same;
  std::int64_t value =
      0;  // same: the rank, or `none` and the like. from_end: ranks minus it. distance: rank XOR it.
          // part: the `value`-th part of the ranks further
  std::vector<int> offset{};  // in each dimension, around the ends

  std::int64_t of(const Grid& grid, int rank) const;
};
// What `peer` may be to `rank`; the first is the likeliest.
std::vector<Relation> relations(const Grid& grid, int rank, std::int64_t peer);

// A number that places a rank in a communicator that is to be split: a colour or a key.
struct Coordinate {
  enum class Kind { same, rank, of_dimension, all_but };
  Kind kind = Kind::same;
  std::int64_t value = 0;  // same: itself. of_dimension, all_but: which dimension

  std::int64_t of(const Grid& grid, int rank) const;
};
std::vector<Coordinate> coordinates(const Grid& grid, int rank, std::int64_t value);

}  // namespace emu::skeleton
