#include "mesh.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace roms {
namespace {

// A surface of revolution around z: a sequence of rings of points, each joined to its predecessor.
class Revolution {
 public:
  explicit Revolution(int segments) : segments_(segments) {}

  void ring(double radius, double z) {
    const auto first = static_cast<std::int32_t>(mesh_.points.size());
    for (int i = 0; i < segments_; ++i) {
      const double angle = 2 * std::numbers::pi * i / segments_;
      mesh_.points.push_back({radius * std::cos(angle), radius * std::sin(angle), z});
    }
    if (joined_) {
      for (std::int32_t i = 0; i < segments_; ++i) {
        const std::int32_t j = (i + 1) % segments_;
        const std::int32_t below = first - segments_;
        add(below + i, below + j, first + j);
        add(below + i, first + j, first + i);
      }
    }
    joined_ = true;
  }
  // The next ring begins a new surface.
  void cut() { joined_ = false; }
  Mesh take() { return std::move(mesh_); }

 private:
  // The ring at a pole is one point, so triangles there may have no area.
  void add(std::int32_t a, std::int32_t b, std::int32_t c) {
    if (mesh_.points[a] != mesh_.points[b] && mesh_.points[b] != mesh_.points[c] &&
        mesh_.points[a] != mesh_.points[c])
      mesh_.triangles.push_back({a, b, c});
  }

  const int segments_;
  bool joined_ = false;
  Mesh mesh_;
};

// Rings of a sphere between two angles, which are measured from +z.
void sphere(Revolution& surface, double radius, double from, double to, int steps) {
  for (int i = 0; i <= steps; ++i) {
    const double angle = from + (to - from) * i / steps;
    const bool pole = angle == 0 || angle == std::numbers::pi;
    surface.ring(pole ? 0 : radius * std::sin(angle), radius * std::cos(angle));
  }
}

constexpr double pi = std::numbers::pi;

}  // namespace

Mesh make_femur(const Femur& femur, int segments) {
  Revolution surface(segments);
  sphere(surface, femur.ball_radius, 0, pi, (segments + 1) / 2);
  surface.cut();
  const int steps = std::max(1, segments / 4);
  for (int i = 0; i <= steps; ++i) surface.ring(femur.neck_radius, femur.neck_length * i / steps);
  surface.ring(0, femur.neck_length);
  return surface.take();
}

Mesh make_cup(const Cup& cup, int segments) {
  Revolution surface(segments);
  const int steps = (segments + 1) / 2;
  sphere(surface, cup.inner_radius, pi, pi / 2, steps);
  sphere(surface, cup.outer_radius, pi / 2, pi, steps);
  return surface.take();
}

}  // namespace roms
