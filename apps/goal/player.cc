#include "player.h"

#include <limits>

namespace emu::goal {

bool fits_in_picoseconds(std::int64_t longest, std::int64_t unit) {
  return longest <= std::numeric_limits<std::int64_t>::max() / 2 / unit;
}

Player::Player(const Part& part, std::int64_t unit, Calls& calls)
    : unit_(unit), calls_(calls), order_(part) {}

void Player::play() {
  while (!order_.over()) {
    if (const int next = order_.take(); next >= 0) {
      run(next);
      continue;
    }
    const int complete = calls_.wait_for_one();
    --under_way_;
    order_.complete(complete);
  }
}

void Player::run(int number) {
  const Operation16 operation = order_[number];
  const bool computes = operation.what() == Kind::compute;
  const bool blocking = computes || (under_way_ == 0 && order_.alone(number));
  if (blocking) at_ = number;
  if (computes) {
    calls_.compute(operation.amount * unit_);
  } else if (blocking) {
    calls_.call(operation);
  } else {
    ++under_way_;
    calls_.start(number, operation);
  }
  at_ = -1;
  order_.started(number);
  if (blocking) order_.complete(number);
}

}  // namespace emu::goal
