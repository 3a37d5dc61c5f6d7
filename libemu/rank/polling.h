// Polling loops. A program that asks "is it there?" in a loop that does nothing else would cost one exchange
// with all other ranks per virtual microsecond. So after a while the clock jumps by whole polls: the instants
// at which the program asks stay exactly those of asking one by one, t, t + poll, t + 2 poll, ..., only the
// false answers between are not handed out.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/time.h"

namespace emu::rank {

class Polling {
 public:
  // A false answer was given, standing for `polls` of them.
  void failed(std::int64_t polls) { bare_ += polls; }
  // The program did something beside polling.
  void interrupted() { bare_ = 0; }

  // How many polls the next answer may stand for. It doubles with the polls that failed in a row: a loop that
  // gives up after n polls is wrong by no more than a factor of two, and only beyond the first `patience`.
  std::int64_t stride() const { return bare_ < patience ? 1 : std::min(bare_, longest); }

  // Consecutive readings of a clock that stood still.
  bool clock_read(Instant now) {
    reads_ = now == last_read_ ? reads_ + 1 : 0;
    last_read_ = now;
    return reads_ > patience;
  }

 private:
  static constexpr std::int64_t patience = 64;
  static constexpr std::int64_t longest = std::int64_t{1} << 20;
  std::int64_t bare_ = 0;
  std::int64_t reads_ = 0;
  Instant last_read_;
};

}  // namespace emu::rank
