// Bounds of all ranks of one process, and the least of them as a tree of minima.
//
// Only questions about all ranks need the tree. So a change is recorded, and the next question propagates it up the
// tree.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace emu::fiber {

class Bounds {
 public:
  explicit Bounds(int ranks) : changed_(static_cast<std::size_t>(ranks)) {
    std::size_t count = static_cast<std::size_t>(ranks);
    for (;;) {
      // Whole cells: places after the last rank are beyond all bounds.
      std::vector<std::int64_t>& level = levels_.emplace_back((count + width - 1) / width * width, beyond);
      std::fill_n(level.begin(), count, 0);
      if (count <= 1) break;
      count = (count + width - 1) / width;
    }
  }

  std::int64_t operator[](int rank) const { return levels_[0][static_cast<std::size_t>(rank)]; }
  void set(int rank, std::int64_t bound) {
    const auto place = static_cast<std::size_t>(rank);
    levels_[0][place] = bound;
    if (changed_[place]) return;
    changed_[place] = true;
    changes_.push_back(static_cast<std::uint32_t>(place));
  }
  // Calls visit(rank) for every rank whose bound is below `limit`; stops when visit returns false.
  template <class Visit>
  void below(std::int64_t limit, Visit visit) {
    update();
    if (levels_.back()[0] < limit) walk(levels_.size() - 1, 0, limit, visit);
  }
  std::int64_t least() {
    update();
    return levels_.back()[0];
  }

 private:
  static constexpr std::size_t width = 8;
  static constexpr std::int64_t beyond = std::numeric_limits<std::int64_t>::max();

  void update() {
    for (const std::uint32_t leaf : changes_) {
      changed_[leaf] = false;
      for (std::size_t level = 1, place = leaf / width; level < levels_.size(); ++level, place /= width) {
        const std::int64_t* const below = &levels_[level - 1][place * width];
        const std::int64_t least = *std::min_element(below, below + width);
        if (levels_[level][place] == least) break;
        levels_[level][place] = least;
      }
    }
    changes_.clear();
  }
  template <class Visit>
  bool walk(std::size_t level, std::size_t place, std::int64_t limit, Visit& visit) const {
    if (level == 0) return visit(static_cast<int>(place));
    for (std::size_t child = place * width; child < (place + 1) * width; ++child)
      if (levels_[level - 1][child] < limit && !walk(level - 1, child, limit, visit)) return false;
    return true;
  }

  std::vector<std::vector<std::int64_t>> levels_;  // the first level: one place for each rank
  std::vector<char> changed_;                      // by rank: true if it is in changes_
  std::vector<std::uint32_t> changes_;
};

}  // namespace emu::fiber
