// Sum of times of several ranks. A clock ends after 53 days (base/time.h), which a thousand ranks have used
// together after 76 minutes, so sums over ranks, and over the waits of several ranks, need a wider type. Exact to
// the picosecond.
#pragma once

#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>

#include "base/time.h"

namespace emu::analysis {

class ProcessorTime {
 public:
  constexpr ProcessorTime() = default;
  constexpr ProcessorTime(Interval one) : ps_(one.picoseconds()) {}  // NOLINT(google-explicit-constructor)

  constexpr double seconds() const { return static_cast<double>(ps_) / 1e12; }
  // Picoseconds, if an int64_t can hold them.
  constexpr bool fits() const {
    return ps_ <= std::numeric_limits<std::int64_t>::max() && ps_ >= std::numeric_limits<std::int64_t>::min();
  }
  constexpr std::int64_t picoseconds() const { return static_cast<std::int64_t>(ps_); }
  // The n-th part, for n ranks, rounded towards 0 to whole picoseconds. 0 for n = 0.
  constexpr Interval each(std::int64_t n) const {
    return Interval::picoseconds(n == 0 ? 0 : static_cast<std::int64_t>(ps_ / n));
  }

  constexpr ProcessorTime& operator+=(ProcessorTime o) {
    ps_ += o.ps_;
    return *this;
  }
  friend constexpr ProcessorTime operator+(ProcessorTime a, ProcessorTime b) {
    return ProcessorTime(a.ps_ + b.ps_);
  }
  friend constexpr ProcessorTime operator-(ProcessorTime a, ProcessorTime b) {
    return ProcessorTime(a.ps_ - b.ps_);
  }
  friend constexpr ProcessorTime operator*(ProcessorTime a, std::int64_t n) {
    return ProcessorTime(a.ps_ * n);
  }
  friend constexpr auto operator<=>(ProcessorTime, ProcessorTime) = default;

 private:
  __extension__ using Wide = __int128;
  explicit constexpr ProcessorTime(Wide ps) : ps_(ps) {}
  Wide ps_ = 0;
};

}  // namespace emu::analysis
