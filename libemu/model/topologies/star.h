// Star: one switch, and a cable from it to each node. The switch may have a capacity, its backbone, which
// all messages share.
#pragma once

#include <algorithm>
#include <optional>

#include "model/interconnect.h"
#include "model/topologies/cable.h"

namespace emu::model {

struct StarShape {
  int nodes = 1;
  Cable cable;
  std::optional<Rate> backbone;  // time per byte
};

class Star final : public Interconnect {
 public:
  explicit Star(const StarShape& shape) : shape_(shape) {}

  int nodes() const override { return shape_.nodes; }
  int links() const override { return 2 * shape_.nodes + (shape_.backbone ? 1 : 0); }
  Rate gap_per_byte(int link) const override {
    return is_backbone(link) ? *shape_.backbone : shape_.cable.gap_per_byte;
  }
  // "node5-up", "node5-down", "backbone".
  std::string name(int link) const override {
    if (is_backbone(link)) return "backbone";
    return "node" + std::to_string(link / 2) + (link % 2 == 0 ? "-up" : "-down");
  }
  void route(int from, int to, std::vector<std::int32_t>& links) const override {
    links.push_back(2 * from);
    if (shape_.backbone) links.push_back(2 * shape_.nodes);
    links.push_back(2 * to + 1);
  }
  Interval latency(int, int) const override { return shape_.cable.latency.times(2); }
  Interval least_latency() const override { return shape_.nodes > 1 ? latency(0, 1) : Interval(); }

  // Bytes per second from one half of the nodes to the other.
  double bisection() const {
    const double cables = capacity(shape_.cable.gap_per_byte, shape_.nodes / 2.0);
    return shape_.backbone ? std::min(cables, capacity(*shape_.backbone, 1)) : cables;
  }

 private:
  bool is_backbone(int link) const { return link == 2 * shape_.nodes; }

  StarShape shape_;
};

}  // namespace emu::model
