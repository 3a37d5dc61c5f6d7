#include "skeleton/extrapolate/grid.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace emu::skeleton {
namespace {

// Bits of a role.
constexpr std::uint8_t first = 1, last = 2, odd = 4;

int around(int at, int size) { return ((at % size) + size) % size; }

// The most even factorisation of `ranks`: the largest factor is as small as possible, then the next.
std::vector<int> most_even(int ranks, int factors) {
  if (factors == 1) return {ranks};
  std::vector<int> best;
  for (int factor = 1; factor <= ranks; ++factor) {
    if (ranks % factor != 0) continue;
    std::vector<int> sizes = most_even(ranks / factor, factors - 1);
    sizes.push_back(factor);
    std::sort(sizes.begin(), sizes.end(), std::greater<>());
    if (best.empty() || sizes < best) best = std::move(sizes);
  }
  return best;
}

}  // namespace

int Grid::ranks() const { return std::accumulate(sizes.begin(), sizes.end(), 1, std::multiplies<>()); }

std::vector<int> Grid::at(int rank) const {
  std::vector<int> at(sizes.size());
  for (std::size_t i = sizes.size(); i-- > 0; rank /= sizes[i]) at[i] = rank % sizes[i];
  return at;
}

int Grid::rank(const std::vector<int>& at) const {
  int rank = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) rank = rank * sizes[i] + around(at[i], sizes[i]);
  return rank;
}

Grid GridShape::of(int ranks) const {
  std::vector<int> sizes = most_even(ranks, dimensions);
  if (longest_last) std::reverse(sizes.begin(), sizes.end());
  return {std::move(sizes)};
}

std::string GridShape::text() const {
  std::string text =
      dimensions == 1 ? "in a row" : "in a grid of " + std::to_string(dimensions) + " dimensions";
  if (longest_last) text += ", the longest last";
  return text + (parity ? ", even ones apart from odd ones" : "");
}

std::vector<GridShape> grid_shapes() {
  std::vector<GridShape> shapes;
  for (const bool parity : {false, true})
    for (const int dimensions : {1, 2, 3})
      for (const bool longest_last : {false, true})
        if (dimensions > 1 || !longest_last) shapes.push_back({dimensions, longest_last, parity});
  return shapes;
}

Role role_of(const Grid& grid, int rank, bool parity) {
  Role role;
  const std::vector<int> at = grid.at(rank);
  for (std::size_t i = 0; i < at.size(); ++i)
    role.push_back(static_cast<std::uint8_t>((at[i] == 0 ? first : 0) |
                                             (at[i] + 1 == grid.sizes[i] ? last : 0) |
                                             (parity && at[i] % 2 ? odd : 0)));
  return role;
}

std::string text_of(const Role& role) {
  std::string text;
  for (const std::uint8_t part : role) {
    if (!text.empty()) text += ", ";
    const int end = part & (first | last);
    text += end == (first | last) ? "alone" : end == first ? "first" : end == last ? "last" : "between";
    if (part & odd) text += " and odd";
  }
  return text;
}

std::int64_t Relation::of(const Grid& grid, int rank) const {
  const int ranks = grid.ranks();
  switch (kind) {
    case Kind::same:
      return value;
    case Kind::from_end:
      return ranks - value;
    case Kind::offset: {
      std::vector<int> at = grid.at(rank);
      for (std::size_t i = 0; i < at.size(); ++i) at[i] += offset[i];
      return grid.rank(at);
    }
    case Kind::distance:
      return rank ^ value;
    case Kind::part:
      break;
  }
  return around(rank + static_cast<int>(ranks / value), ranks);
}

std::vector<Relation> relations(const Grid& grid, int rank, std::int64_t peer) {
  using Kind = Relation::Kind;
  if (peer < 0) return {{Kind::same, peer}};
  std::vector<Relation> found;
  const std::vector<int> here = grid.at(rank), there = grid.at(static_cast<int>(peer));
  // Forwards or backwards around each dimension, the shorter way first.
  std::vector<std::vector<int>> offsets{{}};
  for (std::size_t i = 0; i < here.size(); ++i) {
    const int forwards = around(there[i] - here[i], grid.sizes[i]), backwards = forwards - grid.sizes[i];
    std::vector<std::vector<int>> longer;
    for (const std::vector<int>& offset : offsets)
      for (const int way :
           2 * forwards <= grid.sizes[i] ? std::array{forwards, backwards} : std::array{backwards, forwards})
        if (forwards != 0 || way == 0) {
          longer.push_back(offset);
          longer.back().push_back(way);
        }
    offsets = std::move(longer);
  }
  for (std::vector<int>& offset : offsets) found.push_back({Kind::offset, 0, std::move(offset)});
  found.push_back({Kind::same, peer});
  found.push_back({Kind::from_end, grid.ranks() - peer});
  found.push_back({Kind::distance, rank ^ peer});
  for (const int parts : {2, 4, 8})
    if (grid.ranks() % parts == 0 && around(rank + grid.ranks() / parts, grid.ranks()) == peer)
      found.push_back({Kind::part, parts});
  return found;
}

std::int64_t Coordinate::of(const Grid& grid, int rank) const {
  if (kind == Kind::same) return value;
  if (kind == Kind::rank) return rank;
  std::vector<int> at = grid.at(rank);
  const auto dimension = static_cast<std::size_t>(value);
  if (kind == Kind::of_dimension) return at[dimension];
  Grid others = grid;
  others.sizes.erase(others.sizes.begin() + static_cast<std::ptrdiff_t>(dimension));
  at.erase(at.begin() + static_cast<std::ptrdiff_t>(dimension));
  return others.rank(at);
}

std::vector<Coordinate> coordinates(const Grid& grid, int rank, std::int64_t value) {
  using Kind = Coordinate::Kind;
  std::vector<Coordinate> all{{Kind::same, value}, {Kind::rank}}, found;
  for (std::size_t i = 0; i < grid.sizes.size() && grid.sizes.size() > 1; ++i) {
    all.push_back({Kind::of_dimension, static_cast<std::int64_t>(i)});
    all.push_back({Kind::all_but, static_cast<std::int64_t>(i)});
  }
  for (const Coordinate& each : all)
    if (each.of(grid, rank) == value) found.push_back(each);
  return found;
}

}  // namespace emu::skeleton
