#include "motion.h"

#include "emu/emu.h"

namespace roms {
namespace {

double between(double least, double greatest, int step, int steps) {
  return steps == 1 ? least : least + (greatest - least) * step / (steps - 1);
}

}  // namespace

Rotation Grid::at(std::int32_t item) const {
  const int turn = item % steps;
  const int abduction = item / steps % steps;
  const int flexion = item / steps / steps;
  return {between(least.flexion, greatest.flexion, flexion, steps),
          between(least.abduction, greatest.abduction, abduction, steps),
          between(least.turn, greatest.turn, turn, steps)};
}

void Motion::compute(Range range, std::span<std::byte> results) const {
  for (std::int32_t i = 0; i < range.count; ++i)
    results[i] = static_cast<std::byte>(joint_.collides(grid_.at(range.first + i)));
  if (cost_) emu_compute(range.count * *cost_);
}

}  // namespace roms
