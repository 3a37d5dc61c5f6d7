// Torus: nodes at the points of a grid of any number of dimensions, each with a cable to the next node in every
// direction, and from the last node of a line to the first.
//
// Nodes are numbered along the first dimension, then the second, and so on. Routing is dimension-order, the first
// dimension first (e-cube: H. Sullivan, T. R. Bashkow, ISCA 1977; W. J. Dally, C. L. Seitz, IEEE Transactions on
// Computers 36(5), 1987), in each by the shorter way; of two equally long ways, the one to ascending coordinates.
#pragma once

#include <vector>

#include "model/interconnect.h"
#include "model/topologies/cable.h"

namespace emu::model {

struct TorusShape {
  struct Dimension {
    int size = 1;
    Cable cable;
  };
  std::vector<Dimension> dimensions;  // at least one

  // Products of the sizes may exceed the limits of a Torus.
  double nodes() const;
  double links() const;
};

class Torus final : public Interconnect {
 public:
  // `shape` has at most 2^31 - 1 links.
  explicit Torus(const TorusShape& shape);

  int nodes() const override { return nodes_; }
  int links() const override { return nodes_ * ports_; }
  Rate gap_per_byte(int link) const override { return dimension_of(link).cable.gap_per_byte; }
  // "node5-x+": from node 5 to ascending x; the dimensions are x, y, z, d4, d5, ...
  std::string name(int link) const override;
  void route(int from, int to, std::vector<std::int32_t>& links) const override;
  Interval latency(int from, int to) const override;
  Interval least_latency() const override;

  int dimensions() const { return static_cast<int>(dimensions_.size()); }
  int size(int dimension) const { return dimensions_[static_cast<std::size_t>(dimension)].size; }
  int coordinate(int node, int dimension) const {
    return dimensions_[static_cast<std::size_t>(dimension)].at(node);
  }
  // Bytes per second in one direction across the weakest cut through all lines of one dimension.
  double bisection() const;

 private:
  struct Dimension {
    int size;
    int stride;  // from a node's number to the next one's
    int first;   // of a node's links: the one to ascending coordinates; the other one, if any, follows
    Cable cable;

    int at(int node) const { return node / stride % size; }
    // Steps from one node to the other, positive to ascending coordinates.
    int way(int from, int to) const {
      const int steps = (at(to) - at(from) + size) % size;
      return 2 * steps <= size ? steps : steps - size;
    }
  };
  const Dimension& dimension_of(int link) const;

  std::vector<Dimension> dimensions_;
  int nodes_ = 1;
  int ports_ = 0;  // links that leave each node
};

}  // namespace emu::model
