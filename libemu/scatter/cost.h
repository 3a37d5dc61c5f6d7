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

// Longer than any time that a plan may take. Costs and sums of costs stop growing here, so that nothing
// overflows; a plan that takes as long is refused.
inline constexpr Interval too_long = Interval::picoseconds(std::int64_t{1} << 61);

// Of two times up to too_long.
constexpr Interval plus(Interval a, Interval b) {
  const Interval sum = a + b;
  return sum < too_long ? sum : too_long;
}

class Cost {
 public:
  // Below 0: no valid cost (the failure of check() says so).
  using Function = std::function<Interval(Items)>;

  Cost() = default;  // nothing, for any number
  // 0 for no items, fixed + per_item * n for n of them, rounded to the nearest picosecond. Linear if fixed is
  // 0.
  static Cost affine(Interval fixed, Rate per_item);
  // values[n] for n items. They are looked through here, once: what check() and first_decrease() say is known.
  static Cost table(std::vector<Interval> values);
  // Any function of the number of items; it has to answer the same each time.
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
  // Of an affine one.
  Interval fixed() const { return fixed_; }
  std::int64_t femtoseconds_per_item() const { return per_item_.femtoseconds_per_byte(); }
  long double per_item() const { return femtoseconds_per_item() / 1000.0L; }  // in ps

  // Whether it is defined for 0 ... n items and never negative. `what` begins the message: "the cost of
  // sending to processor 3". Of a function nothing is asked.
  Result<void> check_form(Items n, const std::string& what) const;
  // That, and a function is asked for all its values.
  Result<void> check(Items n, const std::string& what) const;
  // The first number of items in 1 ... n that costs less than one fewer; 0 if there is none. Affine costs
  // that pass check() never decrease; a function is asked for all its values.
  Items first_decrease(Items n) const;

 private:
  enum class Kind { affine, table, function };
  Interval other(Items n) const;
  Interval large(Items n) const;

  Kind kind_ = Kind::affine;
  Interval fixed_;
  Rate per_item_;
  std::shared_ptr<const std::vector<Interval>> table_;
  Items negative_ = -1;  // of a table: the first number that is below 0; -1: none
  Items decrease_ = 0;   // likewise first_decrease() of all of it
  Function function_;
};

// The greatest n in 0 ... most for which `fits(n)`, if it holds for 0 and for no number above one for which
// it does not.
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
