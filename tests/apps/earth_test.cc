// The earth of apps/raytrace, compared with published values of IASP91, and with integrals known in closed form.
#include "earth.h"

#include <gtest/gtest.h>

#include <cmath>

namespace raytrace {
namespace {

TEST(Earth, VelocitiesAreThoseOfTheTable) {
  // Kennett and Engdahl 1991, Table 1: the table's depths, and the velocities there.
  EXPECT_NEAR(velocity(6371 - 10), 5.80, 1e-3);
  EXPECT_NEAR(velocity(6371 - 30), 6.50, 1e-3);
  EXPECT_NEAR(velocity(6371 - 77.5), 8.0450, 1e-3);
  EXPECT_NEAR(velocity(6371 - 120.0001), 8.0500, 1e-3);
  EXPECT_NEAR(velocity(6371 - 410.0001), 9.3601, 1e-3);  // below the discontinuity
  EXPECT_NEAR(velocity(6371 - 2889.0001), 8.0088, 1e-3);
  EXPECT_NEAR(velocity(0), 11.2409, 1e-3);
}

TEST(Earth, StraightThroughTheCentre) {
  // The integral of dr / v over the diameter, by Simpson's rule within each kilometre.
  double seconds = 0;
  for (int r = 0; r < 6371; ++r)
    seconds += (1 / velocity(r + 1e-9) + 4 / velocity(r + 0.5) + 1 / velocity(r + 1 - 1e-9)) / 6;
  const Arrival arrival = Earth(20000).trace(0);
  EXPECT_NEAR(arrival.seconds, 2 * seconds, 0.02);
  EXPECT_NEAR(arrival.seconds, 1212, 2);  // 20 min 12 s: PKIKP at 180 degrees
  EXPECT_NEAR(arrival.distance, M_PI, 1e-9);
  EXPECT_EQ(arrival.deepest, 0);
}

TEST(Earth, PAtThirtyAndSixtyDegrees) {
  // According to the tables of the model: 6 min 8 s and 10 min 4 s, to about a second.
  const Earth earth(5000);
  for (const auto& [degrees, seconds] : {std::pair(30.0, 369.0), std::pair(60.0, 606.0)}) {
    double low = 255, high = 560;  // rays that turn in the lower mantle
    for (int i = 0; i < 60; ++i) {
      const double middle = (low + high) / 2;
      (earth.trace(middle).distance > degrees * M_PI / 180 ? low : high) = middle;
    }
    EXPECT_NEAR(earth.trace(low).distance, degrees * M_PI / 180, 0.01) << degrees;
    EXPECT_NEAR(earth.trace(low).seconds, seconds, 4) << degrees;
  }
}

TEST(Earth, FinerShellsConverge) {
  // T - p Delta; T alone depends on the exact turning point of the ray.
  const auto intercept = [](int shells) {
    const Arrival arrival = Earth(shells).trace(400);
    return arrival.seconds - 400 * arrival.distance;
  };
  double error = 1e9;
  const double right = intercept(50000);
  for (const int shells : {20, 200, 2000}) {
    const double now = std::abs(intercept(shells) - right);
    EXPECT_LT(now, error);
    error = now;
  }
  EXPECT_LT(error, 0.05);
}

}  // namespace
}  // namespace raytrace
