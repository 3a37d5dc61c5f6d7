#include "mandelbrot.h"

#include <cstring>

#include "emu/emu.h"

namespace mase {

Mandelbrot::Mandelbrot(std::int32_t size, std::int32_t iterations, Region region, std::optional<Cost> cost)
    : size_(size), iterations_(iterations), region_(region), cost_(cost) {}

void Mandelbrot::compute(Range range, std::span<std::byte> results) const {
  std::int64_t done = 0;
  for (std::int32_t i = 0; i < range.count; ++i) {
    const std::int32_t n = pixel(range.first + i);
    std::memcpy(results.data() + i * sizeof n, &n, sizeof n);
    done += n;
  }
  if (cost_) emu_compute(static_cast<double>(done) * cost_->per_iteration + range.count * cost_->per_pixel);
}

std::int64_t Mandelbrot::total_iterations() const {
  std::int64_t total = 0;
  for (std::int32_t i = 0; i < items(); ++i) total += pixel(i);
  return total;
}

// Samples the centre of the pixel.
std::int32_t Mandelbrot::pixel(std::int32_t item) const {
  const double x = (item % size_ + 0.5) / size_;
  const double y = (item / size_ + 0.5) / size_;
  const double cx = region_.x0 + x * (region_.x1 - region_.x0);
  const double cy = region_.y1 - y * (region_.y1 - region_.y0);
  double zx = 0, zy = 0, xx = 0, yy = 0;
  std::int32_t n = 0;
  while (n < iterations_ && xx + yy <= 4.0) {
    zy = 2.0 * zx * zy + cy;
    zx = xx - yy + cx;
    xx = zx * zx;
    yy = zy * zy;
    ++n;
  }
  return n;
}

}  // namespace mase
