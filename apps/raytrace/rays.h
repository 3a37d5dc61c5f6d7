// The rays of a seismic catalogue, made up: the events are where a sequence of numbers puts them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "earth.h"

namespace raytrace {

// What is sent for a ray: 64 bytes.
struct Ray {
  double latitude = 0, longitude = 0;  // of the source, degrees
  double azimuth = 0;                  // of the ray at the source, degrees
  double parameter = 0;                // s, see Earth::trace
  double observed = 0;                 // the arrival's time as observed, s
  double magnitude = 0;
  std::int64_t event = 0, station = 0;
};
static_assert(sizeof(Ray) == 64);

// Ray number `first` and those after it; the same for the same number.
std::vector<Ray> make_rays(std::int64_t first, std::int64_t count, const Earth& earth);

// What is known of some rays. Sums of whole numbers: the same in whatever order rays are traced.
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
