// Virtual time: instants and intervals of the target, in whole picoseconds.
//
// An Instant is a point on a rank's virtual clock (0 = the return from MPI_Init); an Interval is a
// length of virtual time. They are two types so that adding two instants does not compile. Whole picoseconds make
// sums exact and runs comparable to the last digit. Virtual time ends after 2^62 ps, 53 days: the other half of
// int64_t is for an instant and an interval that are added before anybody looks at the sum.
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
  // Nearest picosecond to `s` seconds. The one place where floating-point seconds enter.
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

  // A cost that is as long is too long for every clock: added to any instant it leads behind the last one, and does not
  // wrap around.
  static constexpr Interval longest() { return Interval(std::numeric_limits<std::int64_t>::max() / 2); }
  // Costs, none of them negative or above longest(): the sum, and n of this one, but no more than longest().
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
  // Later than every instant a clock can show: "never", the bound of a rank that nothing will wake.
  // Leaves room so that adding an interval to it does not overflow.
  static constexpr Instant never() { return Instant(Interval::longest().picoseconds()); }
  // The last that a clock can show.
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
