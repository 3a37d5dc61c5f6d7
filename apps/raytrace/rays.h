// The rays of an artificial seismic catalogue: a sequence of pseudo-random numbers determines the events.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "earth.h"

namespace raytrace {

// The data of a ray, as sent: 64 bytes.
struct Ray {
  double latitude = 0, longitude = 0;  // of the source, degrees
  double azimuth = 0;                  // of the ray at the source, degrees
  double parameter = 0;                // s, see Earth::trace
  double observed = 0;                 // observed time of arrival, s
  double magnitude = 0;
  std::int64_t event = 0, station = 0;
};
static_assert(sizeof(Ray) == 64);

// The rays from number `first` on. A ray depends only on its number.
std::vector<Ray> make_rays(std::int64_t first, std::int64_t count, const Earth& earth);

// Sums over some rays. They are integers, so they do not depend on the order in which rays are traced.
struct Sums {
  std::int64_t rays = 0;
  std::int64_t microseconds = 0;  // of travel
  std::int64_t metres = 0;        // of depth of the deepest points

  Sums& operator+=(const Sums& o) {
    rays += o.rays;
    microseconds += o.microseconds;
    metres += o.metres;
    return *this;
  }
};

Sums trace(std::span<const Ray> rays, const Earth& earth);

}  // namespace raytrace
