// The joint: where the femur is when it is turned, and whether it touches the cup.
#pragma once

#include <array>
#include <memory>

#include "mesh.h"

namespace roms {

// Degrees, applied to the femur that hangs down in this order: about the axis through both hips, about the
// one from front to back, about the femur's own shaft.
struct Rotation {
  double flexion = 0;
  double abduction = 0;
  double turn = 0;
};

// How the parts stand while nothing is turned. x points away from the body's middle, y to the front, z up.
struct Stance {
  double neck_shaft = 130;  // degrees between the neck and the shaft, which points down
  double inclination = 45;  // of the cup's opening from straight down, to the side
  double anteversion = 15;  // of the cup's opening to the front
};

class Joint {
 public:
  Joint(const Femur& femur, const Cup& cup, const Stance& stance, int segments);
  ~Joint();

  // Whether any two triangles of the meshes meet. The same answer whoever asks, and whatever was asked
  // before.
  bool collides(const Rotation& rotation) const;
  int triangles() const;

  // The angle between the neck and the axis of the cup's opening, in degrees: what decides, for round parts.
  double angle(const Rotation& rotation) const;

 private:
  struct Models;
  std::unique_ptr<Models> models_;
};

}  // namespace roms
