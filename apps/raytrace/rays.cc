#include "rays.h"

#include <cmath>

namespace raytrace {
namespace {

// Number `which` of ray `number`, evenly distributed in [0, 1),
// by the mixing function of splitmix64 (Steele, Lea, Flood 2014).
double at_random(std::int64_t number, std::uint64_t which) {
  std::uint64_t z = (static_cast<std::uint64_t>(number) * 8 + which + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

}  // namespace

std::vector<Ray> make_rays(std::int64_t first, std::int64_t count, const Earth& earth) {
  std::vector<Ray> rays(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t number = first + i;
    Ray& ray = rays[static_cast<std::size_t>(i)];
    ray.latitude = 90 - 180 * std::acos(1 - 2 * at_random(number, 0)) / M_PI;
    ray.longitude = 360 * at_random(number, 1) - 180;
    ray.azimuth = 360 * at_random(number, 2);
    ray.parameter = earth.greatest_parameter() * at_random(number, 3);
    ray.event = number / 16;
    ray.station = number % 16;
  }
  return rays;
}

Sums trace(std::span<const Ray> rays, const Earth& earth) {
  Sums sums;
  for (const Ray& ray : rays) {
    const Arrival arrival = earth.trace(ray.parameter);
    sums += {1, std::llround(arrival.seconds * 1e6), std::llround((earth_radius - arrival.deepest) * 1e3)};
  }
  return sums;
}

}  // namespace raytrace
