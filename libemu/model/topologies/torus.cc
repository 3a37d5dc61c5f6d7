#include "model/topologies/torus.h"

#include <algorithm>
#include <cstdlib>

namespace emu::model {
namespace {

// A line of two nodes has one cable, a line of one none.
int directions(int size) { return std::min(size - 1, 2); }

}  // namespace

double TorusShape::nodes() const {
  double product = 1;
  for (const Dimension& dimension : dimensions) product *= dimension.size;
  return product;
}

double TorusShape::links() const {
  double ports = 0;
  for (const Dimension& dimension : dimensions) ports += directions(dimension.size);
  return nodes() * ports;
}

Torus::Torus(const TorusShape& shape) {
  for (const TorusShape::Dimension& dimension : shape.dimensions) {
    dimensions_.push_back({dimension.size, nodes_, ports_, dimension.cable});
    nodes_ *= dimension.size;
    ports_ += directions(dimension.size);
  }
}

void Torus::route(int from, int to, std::vector<std::int32_t>& links) const {
  int node = from;
  for (const Dimension& d : dimensions_) {
    const int way = d.way(from, to), step = way < 0 ? -1 : 1;
    for (int left = way; left != 0; left -= step) {
      links.push_back(node * ports_ + d.first + (step < 0 ? 1 : 0));
      const int at = d.at(node);
      node += ((at + step + d.size) % d.size - at) * d.stride;
    }
  }
}

Interval Torus::latency(int from, int to) const {
  Interval sum;
  for (const Dimension& d : dimensions_) sum = sum.plus(d.cable.latency.times(std::abs(d.way(from, to))));
  return sum;
}

Interval Torus::least_latency() const {
  Interval least = Interval::longest();
  for (const Dimension& d : dimensions_)
    if (d.size > 1) least = std::min(least, d.cable.latency);
  return nodes_ > 1 ? least : Interval();
}

const Torus::Dimension& Torus::dimension_of(int link) const {
  const int port = link % ports_;
  return *std::find_if(dimensions_.rbegin(), dimensions_.rend(),
                       [&](const Dimension& d) { return d.first <= port && d.size > 1; });
}

std::string Torus::name(int link) const {
  const Dimension& d = dimension_of(link);
  const auto number = static_cast<std::size_t>(&d - dimensions_.data());
  const std::string axis = number < 3 ? std::string(1, "xyz"[number]) : "d" + std::to_string(number + 1);
  return "node" + std::to_string(link / ports_) + "-" + axis + (link % ports_ == d.first ? "+" : "-");
}

double Torus::bisection() const {
  double least = 0;
  for (const Dimension& d : dimensions_) {
    if (d.size < 2) continue;
    const double here = capacity(d.cable.gap_per_byte, 1.0 * directions(d.size) * nodes_ / d.size);
    if (least == 0 || here < least) least = here;
  }
  return least;
}

}  // namespace emu::model
