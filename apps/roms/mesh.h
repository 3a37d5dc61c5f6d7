// Generated meshes of triangles: the head of a femur with its neck, and the cup in which it turns. Lengths are in
// millimetres, and the origin is the centre of the joint.
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

// A ball around the origin and a neck, which is a cylinder from the origin to `neck_length` along +z.
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

// Each circle has `segments` segments, at least 3. The ball has about segments^2 triangles, the cup twice as
// many.
Mesh make_femur(const Femur& femur, int segments);
Mesh make_cup(const Cup& cup, int segments);

}  // namespace roms
