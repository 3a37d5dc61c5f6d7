#include "study/plane/plane_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "study/search.h"

namespace emu::app::studies {
namespace {

// Local minima up to this factor above the least time are followed, the lowest few of them.
constexpr double worth_following = 1.25;
// Diagonal neighbours are examined in up to this many dimensions: there are 3^n - 1.
constexpr std::size_t most_dimensions = 3;

using KnownCell = KnownCells::value_type;

// The ends and the middle.
std::vector<int> coarse(int size) {
  std::vector<int> result{0, (size - 1) / 2, size - 1};
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

std::vector<Cell> coarse_cells(const Sizes& sizes) {
  std::vector<Cell> cells(1);
  for (const int size : sizes) {
    std::vector<Cell> longer;
    for (const Cell& cell : cells)
      for (const int index : coarse(size)) {
        longer.push_back(cell);
        longer.back().push_back(index);
      }
    cells = std::move(longer);
  }
  return cells;
}

// The known times on the line through `cell` along a dimension.
Known line(const KnownCells& known, const Cell& cell, std::size_t dimension) {
  Known result;
  for (const auto& [other, seconds] : known) {
    bool on_it = true;
    for (std::size_t d = 0; d < cell.size() && on_it; ++d) on_it = d == dimension || other[d] == cell[d];
    if (on_it) result[other[dimension]] = seconds;
  }
  return result;
}

Cell with_index(Cell cell, std::size_t dimension, int to) {
  cell[dimension] = to;
  return cell;
}

// The next index beyond the last known one on that side of `at`: the step is as long as the known range there.
int further(const Known& line, int at, int size, bool forward) {
  const int last = forward ? line.rbegin()->first : line.begin()->first;
  const int step =
      std::max({1, std::abs(last - at), forward ? at - line.begin()->first : line.rbegin()->first - at});
  return std::clamp(forward ? last + step : last - step, 0, size - 1);
}

// A step towards the neighbours of `cell` along each dimension. On a line without known times on one side, steps grow.
std::optional<Cell> beside_cell(const Sizes& sizes, const KnownCells& known, const Cell& cell) {
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const Known here = line(known, cell, d);
    const int at = cell[d];
    if (at > 0 && here.begin()->first == at) return with_index(cell, d, further(here, at, sizes[d], false));
    if (at + 1 < sizes[d] && here.rbegin()->first == at)
      return with_index(cell, d, further(here, at, sizes[d], true));
    if (const auto next = beside(here, at)) return with_index(cell, d, *next);
  }
  return {};
}

std::optional<Cell> unknown_neighbour(const Sizes& sizes, const KnownCells& known, const Cell& cell) {
  for (Cell& next : neighbours(sizes, cell))
    if (!known.contains(next)) return std::move(next);
  return {};
}

// Looks beyond ridges, which result from tasks that cannot be distributed evenly: at distances of 2, 4, 8, ... along
// each dimension.
std::optional<Cell> unknown_beyond_ridges(const Sizes& sizes, const KnownCells& known, const Cell& cell) {
  for (std::size_t d = 0; d < sizes.size(); ++d)
    for (int apart = 2; apart < sizes[d]; apart *= 2)
      for (const int to : {cell[d] - apart, cell[d] + apart})
        if (to >= 0 && to < sizes[d] && !known.contains(with_index(cell, d, to)))
          return with_index(cell, d, to);
  return {};
}

std::optional<Cell> at_end_of_flat_cells(const Sizes& sizes, const KnownCells& known, const Cell& cell) {
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const Known here = line(known, cell, d);
    const double limit = known.at(cell) * (1 + flat_share);
    for (const bool forward : {false, true}) {
      if (const auto next = at_end_of_flat(here, cell[d], forward)) return with_index(cell, d, *next);
      const auto& [last, seconds] = forward ? *here.rbegin() : *here.begin();
      if (seconds <= limit && last != (forward ? sizes[d] - 1 : 0))
        return with_index(cell, d, further(here, cell[d], sizes[d], forward));
    }
  }
  return {};
}

// True if the cell is lower than the nearest known time on either side along each dimension, of which at least one
// exists.
bool is_local_minimum(const Sizes& sizes, const KnownCells& known, const KnownCell& cell) {
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 1) continue;
    const Known here = line(known, cell.first, d);
    if (here.size() == 1) return false;
    const auto at = here.find(cell.first[d]);
    if (at != here.begin() && std::prev(at)->second < cell.second) return false;
    if (std::next(at) != here.end() && std::next(at)->second < cell.second) return false;
  }
  return true;
}

std::optional<Cell> beside_other_valleys(const Sizes& sizes, const KnownCells& known,
                                         const KnownCell& least) {
  std::vector<const KnownCell*> lows;
  for (const KnownCell& cell : known)
    if (cell.first != least.first && cell.second <= worth_following * least.second &&
        is_local_minimum(sizes, known, cell))
      lows.push_back(&cell);
  std::stable_sort(lows.begin(), lows.end(),
                   [](const KnownCell* a, const KnownCell* b) { return a->second < b->second; });
  lows.resize(std::min(lows.size(), most_valleys));
  for (const KnownCell* low : lows)
    for (std::size_t d = 0; d < sizes.size(); ++d)
      if (const auto next = beside(line(known, low->first, d), low->first[d]))
        return with_index(low->first, d, *next);
  return {};
}

std::optional<Cell> first_unknown(const std::vector<Cell>& cells, const KnownCells& known) {
  const auto found =
      std::find_if(cells.begin(), cells.end(), [&](const Cell& cell) { return !known.contains(cell); });
  if (found == cells.end()) return {};
  return *found;
}

// An estimate: known times, weighted by the inverse square of their distance.
double guess(const Sizes& sizes, const KnownCells& known, const Cell& cell) {
  double weights = 0, sum = 0;
  for (const auto& [other, seconds] : known) {
    if (!std::isfinite(seconds)) continue;
    double squares = 0;
    for (std::size_t d = 0; d < cell.size(); ++d) {
      const double apart = static_cast<double>(cell[d] - other[d]) / std::max(1, sizes[d] - 1);
      squares += apart * apart;
    }
    const double weight = 1 / std::max(squares, 1e-9);
    weights += weight;
    sum += weight * seconds;
  }
  return weights > 0 ? sum / weights : 1;
}

}  // namespace

std::size_t cells_of(const Sizes& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::size_t{1}, [](std::size_t product, int size) {
    return product * static_cast<std::size_t>(size);
  });
}

std::vector<Cell> neighbours(const Sizes& sizes, const Cell& cell) {
  std::vector<Cell> result{cell};
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const std::size_t count = sizes.size() <= most_dimensions ? result.size() : 1;
    for (std::size_t i = 0; i < count; ++i)
      for (const int step : {-1, 1})
        if (cell[d] + step >= 0 && cell[d] + step < sizes[d])
          result.push_back(with_index(result[i], d, cell[d] + step));
  }
  result.erase(result.begin());
  return result;
}

std::vector<Cell> drawn_cells(const Sizes& sizes) {
  const std::size_t all = cells_of(sizes);
  const std::size_t count = std::min(all, std::clamp<std::size_t>(all * 3 / 100, 8, 60));
  std::minstd_rand random(1);  // its sequence is fixed by the standard
  std::vector<Cell> cells;
  while (cells.size() < count) {
    std::size_t number = random() % all;
    Cell cell;
    for (const int size : sizes) {
      cell.push_back(static_cast<int>(number % static_cast<std::size_t>(size)));
      number /= static_cast<std::size_t>(size);
    }
    if (std::find(cells.begin(), cells.end(), cell) == cells.end()) cells.push_back(std::move(cell));
  }
  return cells;
}

double better_share(std::size_t drawn) { return 1 - std::pow(0.05, 1.0 / static_cast<double>(drawn)); }

std::optional<Cell> next_of_search(const Sizes& sizes, const KnownCells& known) {
  if (auto next = first_unknown(coarse_cells(sizes), known)) return next;
  const auto least = std::min_element(
      known.begin(), known.end(), [](const KnownCell& a, const KnownCell& b) { return a.second < b.second; });
  if (!std::isfinite(least->second)) return {};  // all known points failed
  auto next = beside_cell(sizes, known, least->first);
  if (!next) next = unknown_neighbour(sizes, known, least->first);
  if (!next) next = unknown_beyond_ridges(sizes, known, least->first);
  if (!next) next = at_end_of_flat_cells(sizes, known, least->first);
  if (!next) next = beside_other_valleys(sizes, known, *least);
  if (!next) next = first_unknown(drawn_cells(sizes), known);
  return next;
}

std::vector<Cell> expected_of_search(const Sizes& sizes, KnownCells known, std::size_t most) {
  std::vector<Cell> expected;
  while (expected.size() < most) {
    auto next = next_of_search(sizes, known);
    if (!next) break;
    known.emplace(*next, guess(sizes, known, *next));
    expected.push_back(std::move(*next));
  }
  return expected;
}

}  // namespace emu::app::studies
