// Costs of a number of items: the functions Tcomm and Tcomp of a processor, in whole picoseconds.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/failure.h"
#include "base/rate.h"
#include "base/time.h"

namespace emu::scatter {

using Items = std::int64_t;

// Longer than any permitted plan. Costs and sums of costs saturate here, so that nothing
// overflows; a plan of this length is refused.
inline constexpr Interval too_long = Interval::picoseconds(std::int64_t{1} << 61);

// The sum of two times up to too_long.
constexpr Interval plus(Interval a, Interval b) {
  const Interval sum = a + b;
  return sum < too_long ? sum : too_long;
}

class Cost {
 public:
  // Negative: not a valid cost (check() fails).
  using Function = std::function<Interval(Items)>;

  Cost() = default;  // 0 for any number
  // 0 for no items, fixed + per_item * n for n items, rounded to the nearest picosecond. Linear if fixed is
  // 0.
  static Cost affine(Interval fixed, Rate per_item);
  // values[n] for n items. The constructor scans the table once, for check() and first_decrease().
  static Cost table(std::vector<Interval> values);
  // Any function of the number of items, with equal results for equal arguments.
  static Cost function(Function function);

  Interval of(Items n) const {
    if (kind_ != Kind::affine) return other(n);
    if (n == 0) return Interval();
    std::int64_t fs = 0;
    if (!__builtin_mul_overflow(per_item_.femtoseconds_per_byte(), n, &fs) && fs < (std::int64_t{1} << 62))
      return plus(fixed_, Interval::picoseconds((fs + 500) / 1000));
    return large(n);
  }

  bool is_affine() const { return kind_ == Kind::affine; }
  bool is_function() const { return kind_ == Kind::function; }
  bool is_linear() const { return is_affine() && fixed_ == Interval(); }
  // For an affine cost.
  Interval fixed() const { return fixed_; }
  std::int64_t femtoseconds_per_item() const { return per_item_.femtoseconds_per_byte(); }
  long double per_item() const { return femtoseconds_per_item() / 1000.0L; }  // in ps

  // Checks that the cost is defined for 0 ... n items and never negative. `what` is the
  // beginning of the message: "the cost of sending to processor 3". Functions are not called.
  Result<void> check_form(Items n, const std::string& what) const;
  // As check_form(), and calls a function for all its values.
  Result<void> check(Items n, const std::string& what) const;
  // The first number of items in 1 ... n that costs less than one item fewer; 0 if there is none. Affine costs
  // that pass check() never decrease; a function is called for all its values.
  Items first_decrease(Items n) const;

 private:
  enum class Kind { affine, table, function };
  Interval other(Items n) const;
  Interval large(Items n) const;

  Kind kind_ = Kind::affine;
  Interval fixed_;
  Rate per_item_;
  std::shared_ptr<const std::vector<Interval>> table_;
  Items negative_ = -1;  // table: the first number with a negative cost; -1: none
  Items decrease_ = 0;   // table: first_decrease() of all values
  Function function_;
};

// The greatest n in 0 ... most with `fits(n)`, given that fits(0) is true
// and that fits is false for all numbers above one for which it is false.
template <class Fits>
Items greatest(Items most, Fits fits) {
  if (fits(most)) return most;
  Items good = 0;
  while (most - good > 1) {
    const Items middle = good + (most - good) / 2;
    (fits(middle) ? good : most) = middle;
  }
  return good;
}

// "the cost of sending to processor 3: 5 items cost less than nothing, or no number; ..."
tl::unexpected<Failure> negative(const std::string& what, Items n);

}  // namespace emu::scatter
