// The least of all bounds, kept as a tree of minima: a question about all ranks costs log P instead of P.
//
// Each inner cell holds the least bound and the sum of the counts of the (at most eight) cells below it, changed
// together in one atomic step. A change of a rank's bound goes up the tree as in the f-arrays of Jayanti
// (PODC 2002): read the cell, read the cells below it, exchange; if that fails, repeat once. If it fails again,
// another process has exchanged the cell meanwhile, after it had read the change below.
//
// Invariants:
// - A process that lowers a bound counts the lowering, and has updated the root before it continues. A
//   raise is propagated only where the bound was the cell's least, and without waiting. So a cell may be
//   lower than the cells below it; it is never higher, except for a lowering that is still being propagated.
// - Successful exchanges of one cell are ordered, and each has read the cells below after the preceding exchange: the
//   sum never falls, and while the sum is constant, the least bound never falls.
// - So a reader that finds the root's sum unchanged from before its walk to after it has missed no lowering
//   that matters. A lowering that had reached the root before the walk could be read all the way down. If a
//   lowering had not reached the root by the end of the walk, its sender had not yet raised its own bound,
//   and the walk has read that bound no higher than it still was. wire/table.h says why that is enough.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "wire/bound.h"

namespace emu::wire {

class Minima {
 public:
  // Number of inner cells of a tree over `ranks` leaves; all zero is a valid state if all leaves are zero.
  static std::size_t inner_cells(int ranks);
  Minima(Bound* leaves, Bound* inner, int ranks);

  // Leaf `rank` has been lowered and has counted. On return, the root shows it.
  void lowered(int rank);
  // The owner of leaf `rank` has raised it from `before`.
  void raised(int rank, std::int64_t before) {
    // Most often another rank has the least bound.
    if (levels_[1].cells[static_cast<std::size_t>(rank) / width].bound() >= before) was_least(rank, before);
  }

  // Changes when a lowering reaches the root.
  std::uint64_t lowerings() const { return root().announced(); }

  // No bound is lower, as long as lowerings() is constant.
  std::int64_t least() const { return root().bound(); }

  // Calls visit(rank) for every rank whose bound is below `needed`; stops when visit returns false.
  template <class Visit>
  void below(std::int64_t needed, Visit visit) {
    if (root().bound() < needed) walk(levels_.size() - 1, 0, needed, visit);
  }

 private:
  static constexpr std::size_t width = 8;  // children of a cell: two cache lines

  struct Level {
    Bound* cells;
    std::size_t count;
  };
  Bound& root() const { return *levels_.back().cells; }
  // The children of cell `index` of `level`, level 0 being the leaves.
  std::span<const Bound> children(std::size_t level, std::size_t index) const {
    const Level& below = levels_[level - 1];
    const std::size_t first = index * width;
    return {below.cells + first, std::min(width, below.count - first)};
  }
  // Leaf `rank`, with the least bound of its parent, has been raised from `before`.
  void was_least(int rank, std::int64_t before);
  Bound::Value sum_up(std::size_t level, std::size_t index) const;
  bool refresh(std::size_t level, std::size_t index);

  template <class Visit>
  bool walk(std::size_t level, std::size_t index, std::int64_t needed, Visit& visit) {
    std::int64_t least = INT64_MAX;
    std::size_t c = index * width;
    for (const Bound& child : children(level, index)) {
      const std::int64_t bound = child.bound();
      if (bound < least) least = bound;
      if (bound < needed && !(level == 1 ? visit(static_cast<int>(c)) : walk(level - 1, c, needed, visit)))
        return false;
      ++c;
    }
    // A raise has not reached this cell: propagate it, so that the next walk need not descend here.
    if (levels_[level].cells[index].bound() < least) refresh(level, index);
    return true;
  }

  std::vector<Level> levels_;
};

}  // namespace emu::wire
