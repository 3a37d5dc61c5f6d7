// The workload: an item is a rotation of a grid, and its result is one byte, 1 if the femur touches the cup.
#pragma once

#include <optional>

#include "joint.h"
#include "strategies/workload.h"

namespace roms {

using strategies::Range;

// Rotations between the least and the greatest one, `steps` for each axis.
struct Grid {
  Rotation least{-30, -40, -60};
  Rotation greatest{120, 60, 60};
  int steps = 16;

  std::int32_t rotations() const { return steps * steps * steps; }
  Rotation at(std::int32_t item) const;
};

class Motion : public strategies::Workload {
 public:
  // `cost`: the declared time of a rotation on the reference CPU, in seconds. Without it, the real time of the
  // computation counts.
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
