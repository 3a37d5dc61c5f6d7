// Virtual time: instants and intervals of the target, in whole picoseconds.
//
// An Instant is a point on a rank's virtual clock (0 = the return from MPI_Init); an Interval is a
// length of virtual time. Two types prevent the addition of two instants. Whole picoseconds make sums exact and runs
// comparable to the last digit. Virtual time ends after 2^62 ps, 53 days: so an instant and an interval can be added
// without overflow before the sum is checked.
#pragma once

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>

namespace emu {

class Interval {
 public:
  constexpr Interval() = default;
  static constexpr Interval picoseconds(std::int64_t ps) { return Interval(ps); }
  // The nearest picosecond to `s` seconds. The only place where floating-point seconds are converted.
  static Interval seconds(double s) { return Interval(std::llround(s * 1e12)); }

  constexpr std::int64_t picoseconds() const { return ps_; }
  constexpr double seconds() const { return static_cast<double>(ps_) / 1e12; }

  constexpr Interval& operator+=(Interval o) {
    ps_ += o.ps_;
    return *this;
  }
  constexpr Interval& operator-=(Interval o) {
    ps_ -= o.ps_;
    return *this;
  }
  friend constexpr Interval operator+(Interval a, Interval b) { return Interval(a.ps_ + b.ps_); }
  friend constexpr Interval operator-(Interval a, Interval b) { return Interval(a.ps_ - b.ps_); }
  friend constexpr Interval operator*(Interval a, std::int64_t n) { return Interval(a.ps_ * n); }
  friend constexpr auto operator<=>(Interval, Interval) = default;

  // A cost of this length is too long for any clock: added to any
  // instant, it gives an instant after the last one, without overflow.
  static constexpr Interval longest() { return Interval(std::numeric_limits<std::int64_t>::max() / 2); }
  // For costs that are neither negative nor above longest(): the sum, and n times this cost, limited to longest().
  constexpr Interval plus(Interval o) const { return Interval(std::min(ps_ + o.ps_, longest().ps_)); }
  constexpr Interval times(std::int64_t n) const {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(ps_, n, &product)) return longest();
    return Interval(std::min(product, longest().ps_));
  }

 private:
  explicit constexpr Interval(std::int64_t ps) : ps_(ps) {}
  std::int64_t ps_ = 0;
};

class Instant {
 public:
  constexpr Instant() = default;
  static constexpr Instant from_picoseconds(std::int64_t ps) { return Instant(ps); }
  static constexpr Instant start() { return Instant(0); }
  // Later than every instant that a clock can show: the bound of a rank that no event will wake.
  // An interval can be added without overflow.
  static constexpr Instant never() { return Instant(Interval::longest().picoseconds()); }
  // The last instant that a clock can show.
  static constexpr Instant last() { return Instant(never().ps_ - 1); }

  constexpr std::int64_t picoseconds() const { return ps_; }
  constexpr double seconds() const { return static_cast<double>(ps_) / 1e12; }
  constexpr bool is_never() const { return ps_ >= never().ps_; }

  constexpr Instant& operator+=(Interval d) {
    ps_ += d.picoseconds();
    return *this;
  }
  friend constexpr Instant operator+(Instant t, Interval d) { return Instant(t.ps_ + d.picoseconds()); }
  friend constexpr Instant operator-(Instant t, Interval d) { return Instant(t.ps_ - d.picoseconds()); }
  friend constexpr Interval operator-(Instant a, Instant b) { return Interval::picoseconds(a.ps_ - b.ps_); }
  friend constexpr auto operator<=>(Instant, Instant) = default;

 private:
  explicit constexpr Instant(std::int64_t ps) : ps_(ps) {}
  std::int64_t ps_ = 0;
};

}  // namespace emu
