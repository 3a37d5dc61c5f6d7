// The joint: the position of the femur after a rotation, and the test whether it touches the cup.
#pragma once

#include <array>
#include <memory>

#include "mesh.h"

namespace roms {

// Angles in degrees. The rotations are applied in this order to the femur that hangs down: about the axis through
// both hips, about the axis from front to back, about the shaft of the femur.
struct Rotation {
  double flexion = 0;
  double abduction = 0;
  double turn = 0;
};

// Positions of the parts before a rotation. x points away from the middle of the body, y to the front, z up.
struct Stance {
  double neck_shaft = 130;  // degrees between the neck and the shaft, which points down
  double inclination = 45;  // of the cup's opening from straight down, to the side
  double anteversion = 15;  // of the cup's opening to the front
};

class Joint {
 public:
  Joint(const Femur& femur, const Cup& cup, const Stance& stance, int segments);
  ~Joint();

  // True if two triangles of the meshes intersect. The result depends on `rotation` only, neither on the calling rank
  // nor on earlier calls.
  bool collides(const Rotation& rotation) const;
  int triangles() const;

  // The angle between the neck and the axis of the cup's opening, in degrees. For round parts it decides collisions.
  double angle(const Rotation& rotation) const;

 private:
  struct Models;
  std::unique_ptr<Models> models_;
};

}  // namespace roms
