// Load of a resource over time: its busy time in each stretch of virtual time.
//
// The number of stretches is fixed. When the run exceeds the last one, pairs of stretches are merged, so that all
// sums stay exact.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/time.h"

namespace emu::contention {

class Load {
 public:
  static constexpr std::size_t stretches = 64;

  // The resource was busy from `from` until `until`. Such times do not overlap.
  void add(Instant from, Instant until) {
    std::int64_t at = from.picoseconds();
    const std::int64_t end = until.picoseconds();
    while ((end - 1) >> shift_ >= static_cast<std::int64_t>(stretches)) widen();
    while (at < end) {
      const std::int64_t stretch = at >> shift_;
      const std::int64_t next = (stretch + 1) << shift_;
      const std::int64_t part = (end < next ? end : next) - at;
      busy_[static_cast<std::size_t>(stretch)] += part;
      at += part;
    }
  }

  Interval stretch() const { return Interval::picoseconds(std::int64_t{1} << shift_); }
  // Up to the last stretch with a busy time.
  std::vector<Interval> busy() const {
    std::vector<Interval> result;
    for (const std::int64_t ps : busy_) result.push_back(Interval::picoseconds(ps));
    while (!result.empty() && result.back() == Interval()) result.pop_back();
    return result;
  }

 private:
  void widen() {
    for (std::size_t i = 0; i < stretches / 2; ++i) busy_[i] = busy_[2 * i] + busy_[2 * i + 1];
    for (std::size_t i = stretches / 2; i < stretches; ++i) busy_[i] = 0;
    ++shift_;
  }

  int shift_ = 10;  // a stretch is 2^shift_ picoseconds
  std::array<std::int64_t, stretches> busy_{};
};

}  // namespace emu::contention
