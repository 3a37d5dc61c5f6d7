// Collisions of the meshes, compared with the closed form for round parts.
#include "joint.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace roms {
namespace {

// The neck touches the inner edge of the cup's rim when its axis passes the edge, inner_radius away from the
// centre, at neck_radius: asin(neck_radius / inner_radius) before the rim's plane.
double greatest_free_angle(const Femur& femur, const Cup& cup) {
  return 90 - std::asin(femur.neck_radius / cup.inner_radius) * 180 / std::numbers::pi;
}

TEST(Joint, CollidesWhereTheNeckMeetsTheRim) {
  const Femur femur;
  const Cup cup;
  const Joint joint(femur, cup, Stance(), 96);
  EXPECT_GT(joint.triangles(), 10000);
  const double limit = greatest_free_angle(femur, cup);
  int free = 0;
  int colliding = 0;
  for (double flexion = -90; flexion <= 180; flexion += 18) {
    for (double abduction = -90; abduction <= 90; abduction += 15) {
      for (double turn = -90; turn <= 90; turn += 30) {
        const Rotation rotation{flexion, abduction, turn};
        const double angle = joint.angle(rotation);
        if (std::abs(angle - limit) < 0.2) continue;  // the meshes are not quite round
        EXPECT_EQ(joint.collides(rotation), angle > limit)
            << flexion << ' ' << abduction << ' ' << turn << ": " << angle << " degrees, limit " << limit;
        ++(angle > limit ? colliding : free);
      }
    }
  }
  EXPECT_GT(free, 100);
  EXPECT_GT(colliding, 100);
}

TEST(Joint, ABallTooLargeAlwaysCollides) {
  Femur femur;
  femur.ball_radius = Cup().inner_radius + 0.5;
  const Joint joint(femur, Cup(), Stance(), 48);
  EXPECT_TRUE(joint.collides({}));
  EXPECT_FALSE(Joint(Femur(), Cup(), Stance(), 48).collides({}));
}

// Without a rotation the angle is known: the neck is 50 degrees from straight down to the side, the opening 45 and 15
// to the front.
TEST(Joint, Stance) {
  const double d = std::numbers::pi / 180;
  const double cosine = std::cos(15 * d) * std::cos(5 * d);
  EXPECT_NEAR(Joint(Femur(), Cup(), Stance(), 8).angle({}), std::acos(cosine) / d, 1e-9);
}

}  // namespace
}  // namespace roms
