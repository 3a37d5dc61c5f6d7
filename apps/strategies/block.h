// The items for which a master is responsible: their results, and the master that dealt each of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "dynamic_messages.h"
#include "workload.h"

namespace strategies::dynamic {

class Block {
 public:
  Block(Range range, std::size_t item_bytes)
      : range_(range),
        item_bytes_(item_bytes),
        results_(range.count * item_bytes),
        masters_(range.count, -1) {}

  void store(Range range, std::span<const std::byte> results, std::int32_t master) {
    const std::int32_t offset = range.first - range_.first;
    std::copy(results.begin(), results.end(), results_.begin() + offset * item_bytes_);
    std::fill_n(masters_.begin() + offset, range.count, master);
  }

  // The block, cut at changes of the master.
  std::vector<Segment> segments() const {
    std::vector<Segment> cut;
    for (std::int32_t i = 0; i < range_.count; ++i) {
      if (cut.empty() || cut.back().master != masters_[i])
        cut.push_back({{range_.first + i, 0}, masters_[i]});
      ++cut.back().range.count;
    }
    return cut;
  }
  // The results of one segment.
  std::span<const std::byte> results_of(Range range) const {
    return std::span(results_).subspan((range.first - range_.first) * item_bytes_, range.count * item_bytes_);
  }

  std::vector<std::byte>& results() { return results_; }
  std::vector<std::int32_t>& masters() { return masters_; }

 private:
  Range range_;
  std::size_t item_bytes_;
  std::vector<std::byte> results_;
  std::vector<std::int32_t> masters_;
};

}  // namespace strategies::dynamic
