// The workload: an item is a rotation of a grid, its result one byte, 1 if the femur touches the cup.
#pragma once

#include <optional>

#include "joint.h"
#include "strategies/workload.h"

namespace roms {

using strategies::Range;

// From the least to the greatest rotation of each axis, `steps` of each.
struct Grid {
  Rotation least{-30, -40, -60};
  Rotation greatest{120, 60, 60};
  int steps = 16;

  std::int32_t rotations() const { return steps * steps * steps; }
  Rotation at(std::int32_t item) const;
};

class Motion : public strategies::Workload {
 public:
  // `cost`: what a rotation is declared to take on the reference CPU, in seconds; without it, what it really
  // takes counts.
  Motion(const Joint& joint, const Grid& grid, std::optional<double> cost)
      : joint_(joint), grid_(grid), cost_(cost) {}

  std::int32_t items() const override { return grid_.rotations(); }
  std::size_t item_bytes() const override { return 1; }
  void compute(Range range, std::span<std::byte> results) const override;

 private:
  const Joint& joint_;
  Grid grid_;
  std::optional<double> cost_;
};

}  // namespace roms
