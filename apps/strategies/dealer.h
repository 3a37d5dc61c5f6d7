// Division of items into tasks, and dealing of the tasks of a master's share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "workload.h"

namespace strategies {

// `all` is cut into the tasks 0, 1, 2, ... with `items` items each (the last may be smaller). The share has those at
// the places first, first + step, ... below `end`. Place i has task (i * stride) mod the number of tasks. `stride` has
// no common factor with the number of tasks.
struct Share {
  Range all;
  std::int32_t items = 1;
  std::int32_t first = 0;
  std::int32_t end = 0;
  std::int32_t step = 1;
  std::int32_t stride = 1;
};

inline std::int32_t tasks_in(Range range, std::int32_t items) {
  return range.count / items + (range.count % items != 0);
}

// A stride by the golden ratio: it puts neighbouring tasks far apart, and distributes each few consecutive tasks
// evenly over all tasks.
inline std::int32_t scattering_stride(std::int32_t tasks) {
  auto stride = static_cast<std::int32_t>(tasks * 0.6180339887);
  while (stride > 1 && std::gcd(stride, tasks) != 1) --stride;
  return std::max(stride, 1);
}

inline Share whole(Range range, std::int32_t items) {
  return {range, items, 0, tasks_in(range, items), 1, 1};
}

class Dealer {
 public:
  explicit Dealer(const Share& share)
      : share_(share), tasks_(tasks_in(share.all, share.items)), next_(share.first) {}

  // The next task; it has no items when no task is left.
  Range next() {
    if (next_ >= share_.end) return {};
    const std::int64_t task = std::int64_t{next_} * share_.stride % tasks_;
    const auto offset = static_cast<std::int32_t>(task * share_.items);
    next_ = share_.end - next_ > share_.step ? next_ + share_.step : share_.end;
    return {share_.all.first + offset, std::min(share_.items, share_.all.count - offset)};
  }

 private:
  Share share_;
  std::int32_t tasks_;
  std::int32_t next_;
};

}  // namespace strategies
