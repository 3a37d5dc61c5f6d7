#include "reference/cluster.h"

namespace emu::reference {

Costs::Costs(const Cluster& cluster, int ranks) : cluster_(cluster), ranks_(ranks) {
  std::vector<int> free_slots;  // of each node
  for (const Cluster::Group& group : cluster.groups)
    for (int i = 0; i < group.nodes; ++i) free_slots.push_back(group.slots);
  std::size_t node = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    if (cluster.policy == Cluster::Policy::list) {
      nodes_.push_back(cluster.list[static_cast<std::size_t>(rank)]);
      continue;
    }
    while (free_slots[node] == 0) node = (node + 1) % free_slots.size();
    nodes_.push_back(static_cast<int>(node));
    --free_slots[node];
    if (cluster.policy == Cluster::Policy::cyclic) node = (node + 1) % free_slots.size();
  }
}

int Costs::group_of(int rank) const {
  int end = 0;
  for (std::size_t g = 0; g < cluster_.groups.size(); ++g) {
    end += cluster_.groups[g].nodes;
    if (node_of(rank) < end) return static_cast<int>(g);
  }
  return -1;
}

const Cluster::Link* Costs::stated(int from, int to) const {
  const int a = group_of(from), b = group_of(to);
  const bool same_node = node_of(from) == node_of(to);
  const Cluster::Link* back = nullptr;
  const Cluster::Link* there = nullptr;
  for (const Cluster::Link& link : cluster_.links) {
    if (link.inside) {
      if (same_node && link.from == a) return &link;
      continue;
    }
    if (link.from == a && link.to == b) there = &link;
    if (link.from == b && link.to == a) back = &link;
  }
  return there ? there : back;
}

bool Costs::eager(model::Bytes k) const {
  return cluster_.network.always_eager || (k < 1 ? 1 : k) <= cluster_.network.eager_limit;
}

Interval Costs::send_overhead(int from, int to, model::Bytes k) const {
  const Cluster::Link* link = stated(from, to);
  return (link ? link->send : cluster_.network.send).of(k < 1 ? 1 : k, ranks_);
}

Interval Costs::receive_overhead(int from, int to, model::Bytes k) const {
  const Cluster::Link* link = stated(from, to);
  return (link ? link->receive : cluster_.network.receive).of(k < 1 ? 1 : k, ranks_);
}

Interval Costs::latency(int from, int to) const {
  const Cluster::Link* link = stated(from, to);
  const Interval latency = link ? link->latency : cluster_.network.latency;
  const bool nothing = latency.picoseconds() == 0 && send_overhead(from, to, 1).picoseconds() == 0;
  return nothing ? Interval::picoseconds(1) : latency;
}

Interval Costs::occupancy(int from, int to, model::Bytes on_wire) const {
  const Cluster::Link* link = stated(from, to);
  return (link ? link->gap_per_byte : cluster_.network.gap_per_byte).times(on_wire - 1);
}

bool Costs::serial_card(int from, int to) const {
  if (cluster_.network.card != model::Card::serial) return false;
  const Cluster::Link* link = stated(from, to);
  return !link || !link->inside;
}

Interval Costs::poll() const {
  return cluster_.network.poll.picoseconds() < 1 ? Interval::picoseconds(1) : cluster_.network.poll;
}

}  // namespace emu::reference
