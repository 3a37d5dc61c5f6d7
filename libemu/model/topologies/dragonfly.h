// Dragonfly: groups of routers, all routers of a group linked to each other, all groups to each other (J. Kim, W. J.
// Dally, S. Scott, D. Abts, "Technology-driven, highly-scalable dragonfly topology", ISCA 2008).
//
// Nodes are numbered router by router, routers group by group. The global ports of a group are numbered router by
// router. Port c of group i, of g groups, is connected as follows:
// - consecutive: to group c mod (g - 1), its own number left out (the "absolute" arrangement of E. Hastings et al.,
//   "Comparing global link arrangements for dragonfly networks", CLUSTER 2015);
// - palm tree: to group i - 1 - c mod (g - 1), counted around (C. Camarero, E. Vallejo, R. Beivide, "Topological
//   characterization of Hamming and dragonfly networks and its implications on routing", ACM TACO 11(4), 2014).
// Ports beyond the greatest multiple of g - 1 are not used.
//
// Routing is static and minimal: at most a local, a global and a local link between the routers of two
// nodes. If several cables join two groups, the number of the destination node determines the cable.
#pragma once

#include <cstdint>

#include "model/interconnect.h"
#include "model/topologies/cable.h"

namespace emu::model {

enum class Arrangement : std::uint8_t { consecutive, palm_tree };

struct DragonflyShape {
  int groups = 1;
  int routers = 1;       // of a group
  int nodes_each = 1;    // of a router
  int global_links = 1;  // of a router; groups - 1 <= routers * global_links
  Arrangement arrangement = Arrangement::palm_tree;
  Cable node;    // between a node and its router
  Cable local;   // between routers of one group
  Cable global;  // between groups

  // Products of these numbers may exceed the limits of a Dragonfly.
  double nodes() const;
  double links() const;
};

class Dragonfly final : public Interconnect {
 public:
  // `shape` has at most 2^31 - 1 links.
  explicit Dragonfly(const DragonflyShape& shape);

  int nodes() const override { return shape_.groups * shape_.routers * shape_.nodes_each; }
  int links() const override { return first_global_ + shape_.groups * used_; }
  Rate gap_per_byte(int link) const override;
  // "node5-up", "router1.0-to1" (local, to the group's router 1), "router1.0-global2".
  std::string name(int link) const override;
  void route(int from, int to, std::vector<std::int32_t>& links) const override;
  Interval latency(int from, int to) const override;
  Interval least_latency() const override;

  const DragonflyShape& shape() const { return shape_; }
  // Number of used global ports of a group, and the other end of one of them.
  int global_ports() const { return used_; }
  struct Port {
    int group, port;
  };
  Port other_end(Port port) const;
  // Bytes per second from one half of the groups to the other; for one group, of its routers; for one router, of its
  // nodes.
  double bisection() const;

 private:
  // Exit of a message from its group, and entry into the other one; ports are those of a group.
  struct Way {
    int source, target;  // routers, over all groups
    bool global;
    Port out, in;
  };
  Way way(int from, int to) const;
  int router_of(Port port) const { return port.group * shape_.routers + port.port / shape_.global_links; }
  int local_link(int from, int to) const;

  DragonflyShape shape_;
  int used_ = 0;
  int first_local_ = 0;
  int first_global_ = 0;
};

}  // namespace emu::model
