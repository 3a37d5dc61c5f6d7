// The earth for seismic rays of P waves: a sphere whose velocity depends only on the radius.
#pragma once

#include <vector>

namespace raytrace {

inline constexpr double earth_radius = 6371;  // km

// The velocity of P waves at a radius in km, in km/s: the model IASP91, B. L. N. Kennett and E. R. Engdahl,
// "Traveltimes for global earthquake location and phase identification", Geophysical Journal International 105,
// 1991, Table 2. At a discontinuity, the velocity of the layer above.
double velocity(double radius);

// The end of a ray.
struct Arrival {
  double seconds = 0;   // of travel from the surface to the surface
  double distance = 0;  // angle between the two points at the centre of the earth, in radians
  double deepest = 0;   // the smallest radius, km
};

// Shells of constant velocity. A ray is a straight line in each, so the integral along the ray is a sum.
class Earth {
 public:
  // Shells of equal thickness, except at boundaries where the model has its discontinuities.
  explicit Earth(int shells);
  // Traces the ray with this parameter, p = r sin(i) / v in s (per radian), which is constant along the ray; i is the
  // angle to the vertical. The parameter is between 0 (straight down) and greatest_parameter().
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
