// Meshes of triangles, generated: a femur's head with its neck, and the cup it turns in. Lengths in
// millimetres; the centre of the joint is the origin.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace roms {

using Point = std::array<double, 3>;

struct Mesh {
  std::vector<Point> points;
  std::vector<std::array<std::int32_t, 3>> triangles;
};

// A ball around the origin, and a neck: a cylinder from its centre to `neck_length` along +z.
struct Femur {
  double ball_radius = 14;
  double neck_radius = 6;
  double neck_length = 40;
};

// A hemispherical shell around the origin that opens towards +z.
struct Cup {
  double inner_radius = 14.3;
  double outer_radius = 25;
};

// `segments` around each circle, at least 3: some segments^2 triangles for the ball, twice as many for the
// cup.
Mesh make_femur(const Femur& femur, int segments);
Mesh make_cup(const Cup& cup, int segments);

}  // namespace roms
