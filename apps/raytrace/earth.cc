#include "earth.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace raytrace {
namespace {

// Velocity up to radius `top`: v = a + b x + c x^2 + d x^3 with x = r / 6371 km.
struct Layer {
  double top;
  double a, b, c, d;
};

constexpr Layer iasp91[] = {
    {1217.1, 11.24094, 0, -4.09689, 0},            // inner core
    {3482, 10.03904, 3.75665, -13.67046, 0},       // outer core
    {3631, 14.49470, -1.47089, 0, 0},              // lower mantle
    {5611, 25.1486, -41.1538, 51.9932, -26.6083},  //
    {5711, 25.96984, -16.93412, 0, 0},             //
    {5961, 29.38896, -21.40656, 0, 0},             // 410 to 660 km deep
    {6161, 30.78765, -23.25415, 0, 0},             // upper mantle
    {6251, 25.41389, -17.69722, 0, 0},             //
    {6336, 8.78541, -0.74953, 0, 0},               //
    {6351, 6.50, 0, 0, 0},                         // crust
    {earth_radius, 5.80, 0, 0, 0},
};

double in(const Layer& layer, double radius) {
  const double x = radius / earth_radius;
  return layer.a + x * (layer.b + x * (layer.c + x * layer.d));
}

const Layer& layer_of(double radius) {
  const Layer* found = std::upper_bound(std::begin(iasp91), std::end(iasp91) - 1, radius,
                                        [](double r, const Layer& layer) { return r < layer.top; });
  return *found;
}

}  // namespace

double velocity(double radius) { return in(layer_of(radius), radius); }

Earth::Earth(int shells) {
  std::vector<double> bounds;
  for (int i = 0; i <= shells; ++i) bounds.push_back(earth_radius * i / shells);
  for (const Layer& layer : iasp91) bounds.push_back(layer.top);
  std::sort(bounds.rbegin(), bounds.rend());
  for (std::size_t i = 1; i < bounds.size(); ++i)
    if (bounds[i - 1] - bounds[i] > 1e-9)
      shells_.push_back({bounds[i - 1], bounds[i], 1 / velocity((bounds[i - 1] + bounds[i]) / 2)});
}

double Earth::greatest_parameter() const { return shells_[0].outer * shells_[0].slowness; }

// In a shell of slowness u, the straight line of the ray has the distance p / u from the centre. The ray turns in
// the shell if p / u exceeds the inner radius, and is reflected if it cannot enter the shell below.
Arrival Earth::trace(double parameter) const {
  Arrival arrival;
  for (const Shell& shell : shells_) {
    const double closest = parameter / shell.slowness;
    arrival.deepest = shell.outer;
    if (closest >= shell.outer) break;
    const double down = std::sqrt(shell.outer * shell.outer - closest * closest);
    const bool turns = closest >= shell.inner;
    const double up = turns ? 0 : std::sqrt(shell.inner * shell.inner - closest * closest);
    arrival.seconds += 2 * (down - up) * shell.slowness;
    const double angle =
        std::acos(closest / shell.outer) - (turns || shell.inner == 0 ? 0 : std::acos(closest / shell.inner));
    arrival.distance += 2 * angle;
    if (turns) {
      arrival.deepest = closest;
      break;
    }
    arrival.deepest = shell.inner;
  }
  return arrival;
}

}  // namespace raytrace
