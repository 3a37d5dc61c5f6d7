// The earth as seismic rays of P waves see it: a sphere whose velocity depends on the radius alone.
#pragma once

#include <vector>

namespace raytrace {

inline constexpr double earth_radius = 6371;  // km

// The velocity of P waves at a radius in km, in km/s: the model IASP91, B. L. N. Kennett and E. R. Engdahl,
// "Traveltimes for global earthquake location and phase identification", Geophysical Journal International 105,
// 1991, Table 2. At a discontinuity that of the layer above.
double velocity(double radius);

// What becomes of a ray.
struct Arrival {
  double seconds = 0;   // of travel from the surface to the surface
  double distance = 0;  // between the two points, as the angle at the centre of the earth, in radians
  double deepest = 0;   // the least radius, km
};

// Shells of constant velocity, in each of which a ray is a straight line: the integral over the ray is a sum.
class Earth {
 public:
  // Shells of equal thickness, but for boundaries where the model has its discontinuities.
  explicit Earth(int shells);
  // The ray with this parameter, p = r sin(i) / v in s (per radian): the same all along the ray, at whatever
  // angle i to the vertical. From 0, straight down, to greatest_parameter().
  Arrival trace(double parameter) const;
  double greatest_parameter() const;

 private:
  struct Shell {
    double outer, inner;  // km
    double slowness;      // s/km
  };
  std::vector<Shell> shells_;  // from the surface down
};

}  // namespace raytrace
