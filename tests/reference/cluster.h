// The target of a batch as plain data, and its costs worked out by plain searches through that data: nothing
// here is shared with libemu/model but the arithmetic of intervals, rates and overheads, nor with
// libemu/target.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/network.h"

namespace emu::reference {

struct Cluster {
  struct Group {
    int nodes = 1;
    int slots = 1;
  };
  // What differs from `network` from one group to another (and back, unless that is stated), or inside the
  // nodes of a group.
  struct Link {
    int from = 0, to = 0;
    bool inside = false;  // `from` alone counts
    Interval latency;
    Rate gap_per_byte;
    model::Overhead send, receive;
  };
  enum class Policy { block, cyclic, list };

  Cluster() = default;
  // Each rank on a node of its own, all alike.
  Cluster(const model::Parameters& network, int ranks) : network(network), groups{{ranks, 1}} {}

  model::Parameters network;
  std::vector<Group> groups{Group{}};
  Policy policy = Policy::block;
  std::vector<int> list;  // of Policy::list: each rank's node
  std::vector<Link> links;
};

// The cluster as a target file.
std::string target_file(const Cluster& cluster);
std::string describe(const Cluster& cluster);

class Costs {
 public:
  Costs(const Cluster& cluster, int ranks);

  bool eager(model::Bytes k) const;
  Interval send_overhead(int from, int to, model::Bytes k) const;
  Interval receive_overhead(int from, int to, model::Bytes k) const;
  Interval latency(int from, int to) const;
  Interval occupancy(int from, int to, model::Bytes on_wire) const;
  bool serial_card(int from, int to) const;
  Interval gap() const { return cluster_.network.gap; }
  Interval poll() const;
  int node_of(int rank) const { return nodes_[static_cast<std::size_t>(rank)]; }

 private:
  int group_of(int rank) const;
  // What the cluster states for the pair; null if it states nothing.
  const Cluster::Link* stated(int from, int to) const;

  Cluster cluster_;
  int ranks_;
  std::vector<int> nodes_;  // of each rank
};

}  // namespace emu::reference
