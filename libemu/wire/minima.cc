#include "wire/minima.h"

#include <algorithm>

namespace emu::wire {

std::size_t Minima::inner_cells(int ranks) {
  std::size_t cells = 0;
  auto count = static_cast<std::size_t>(ranks);
  do {
    count = (count + width - 1) / width;
    cells += count;
  } while (count > 1);
  return cells;
}

Minima::Minima(Bound* leaves, Bound* inner, int ranks) {
  auto count = static_cast<std::size_t>(ranks);
  levels_.push_back({leaves, count});
  do {
    count = (count + width - 1) / width;
    levels_.push_back({inner, count});
    inner += count;
  } while (count > 1);
}

[[gnu::hot]] Bound::Value Minima::sum_up(std::size_t level, std::size_t index) const {
  Bound::Value sum{INT64_MAX, 0};
  for (const Bound& child : children(level, index)) {
    const Bound::Value value = child.load();
    sum.bound = std::min(sum.bound, value.bound);
    sum.announced += value.announced;
  }
  return sum;
}

[[gnu::hot]] bool Minima::refresh(std::size_t level, std::size_t index) {
  Bound& cell = levels_[level].cells[index];
  const Bound::Value before = cell.load();
  return cell.exchange(before, sum_up(level, index));
}

[[gnu::hot]] void Minima::lowered(int rank) {
  auto index = static_cast<std::size_t>(rank);
  for (std::size_t level = 1; level < levels_.size(); ++level) {
    index /= width;
    if (!refresh(level, index)) refresh(level, index);
  }
}

[[gnu::hot, gnu::noinline]] void Minima::was_least(int rank, std::int64_t before) {
  auto index = static_cast<std::size_t>(rank);
  for (std::size_t level = 1; level < levels_.size(); ++level) {
    index /= width;
    const std::int64_t least = levels_[level].cells[index].bound();
    if (least < before || !refresh(level, index)) return;
    before = least;
  }
}

}  // namespace emu::wire
