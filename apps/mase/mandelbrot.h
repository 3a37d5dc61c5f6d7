// The Mandelbrot workload: an item is a pixel (row by row from the top left), its result the number of
// iterations after which z -> z^2 + c leaves the circle of radius 2, as int32; `iterations` if it does not.
#pragma once

#include <optional>

#include "strategies/workload.h"

namespace mase {

struct Region {
  double x0 = -2.0, y0 = -1.25, x1 = 0.5, y1 = 1.25;
};

// Declared cost of the computation on the reference CPU, in seconds.
struct Cost {
  double per_iteration = 0;
  double per_pixel = 0;
};

using strategies::Range;

class Mandelbrot : public strategies::Workload {
 public:
  // An image of `size` x `size` pixels. Without a cost nothing is declared, and the real time of the computation
  // counts.
  Mandelbrot(std::int32_t size, std::int32_t iterations, Region region, std::optional<Cost> cost);

  std::int32_t items() const override { return size_ * size_; }
  std::size_t item_bytes() const override { return sizeof(std::int32_t); }
  void compute(Range range, std::span<std::byte> results) const override;

  // Sum of the iterations of all pixels.
  std::int64_t total_iterations() const;

 private:
  std::int32_t pixel(std::int32_t item) const;

  std::int32_t size_;
  std::int32_t iterations_;
  Region region_;
  std::optional<Cost> cost_;
};

}  // namespace mase
