// Ranks as a grid, and the relations of a rank to its neighbours in it, so
// that statements about the ranks of one grid also apply to a larger one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace emu::skeleton {

// In row-major order, as MPI_Cart_create numbers ranks.
struct Grid {
  std::vector<int> sizes;  // the last one is that of consecutive ranks

  int ranks() const;
  std::vector<int> at(int rank) const;
  int rank(const std::vector<int>& at) const;  // each coordinate is taken modulo its size
};

// The arrangement of ranks: the number of dimensions, the longest first or last, and whether even and odd ranks differ.
struct GridShape {
  int dimensions = 1;
  bool longest_last = false;
  bool parity = false;

  // The grid of `ranks` ranks with sizes as equal as possible.
  Grid of(int ranks) const;
  std::string text() const;
};
// All candidates, the simplest first.
std::vector<GridShape> grid_shapes();

// Position of a rank in each dimension: first, last, between, or alone; and whether it is even. Ranks of one role act
// alike.
using Role = std::vector<std::uint8_t>;
Role role_of(const Grid& grid, int rank, bool parity);
std::string text_of(const Role& role);

// A rank relative to another one.
struct Relation {
  enum class Kind { same, from_end, offset, distance, part };
  Kind kind = Kind::same;
  // same: the rank, or `none` and the like. from_end: ranks minus value. distance: rank XOR value.
  // part: the rank plus ranks / value.
  std::int64_t value = 0;
  std::vector<int> offset{};  // in each dimension, with wrap-around

  std::int64_t of(const Grid& grid, int rank) const;
};
// The possible relations of `peer` to `rank`; the likeliest first.
std::vector<Relation> relations(const Grid& grid, int rank, std::int64_t peer);

// A number that positions a rank in a split of a communicator: a colour or a key.
struct Coordinate {
  enum class Kind { same, rank, of_dimension, all_but };
  Kind kind = Kind::same;
  std::int64_t value = 0;  // same: the number. of_dimension, all_but: the dimension

  std::int64_t of(const Grid& grid, int rank) const;
};
std::vector<Coordinate> coordinates(const Grid& grid, int rank, std::int64_t value);

}  // namespace emu::skeleton
