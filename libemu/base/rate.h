// Cost per byte, in femtoseconds per byte: exact enough for 400 Gbit/s (20 ps per byte) and every fraction
// in a target file. A cost is rounded once, to the nearest picosecond, after multiplication.
#pragma once

#include <compare>
#include <cstdint>

#include "base/time.h"

namespace emu {

class Rate {
 public:
  constexpr Rate() = default;
  static constexpr Rate femtoseconds_per_byte(std::int64_t fs) { return Rate(fs); }

  constexpr std::int64_t femtoseconds_per_byte() const { return fs_; }
  // At most Interval::longest().
  constexpr Interval times(std::int64_t bytes) const {
    std::int64_t fs = 0;  // up to 1.28 hours: no wide division
    if (!__builtin_mul_overflow(fs_, bytes, &fs) && fs < (std::int64_t{1} << 62))
      return Interval::picoseconds((fs + 500) / 1000);
    __extension__ using Wide = __int128;
    const Wide ps = (static_cast<Wide>(fs_) * bytes + 500) / 1000;
    const Wide most = Interval::longest().picoseconds();
    return Interval::picoseconds(static_cast<std::int64_t>(ps < most ? ps : most));
  }
  friend constexpr auto operator<=>(Rate, Rate) = default;

 private:
  explicit constexpr Rate(std::int64_t fs) : fs_(fs) {}
  std::int64_t fs_ = 0;
};

}  // namespace emu
