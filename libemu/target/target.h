// A target: the cluster that is predicted, as its TOML file describes it (config/README.md lists every key).
// This folder is the only place that knows the keys.
#pragma once

#include <string>
#include <vector>

#include "base/failure.h"
#include "base/time.h"
#include "model/network.h"

namespace emu::target {

enum class Compute {
  measured,  // CPU time of the thread, scaled; emu_compute replaces it
  declared,  // only what emu_compute says counts
};

struct NodeGroup {
  int count = 1;       // nodes
  int slots = 1;       // ranks each can hold
  double speed = 1.0;  // CPU speed relative to the reference CPU
  std::string name;    // what links and events call it; may be empty
};

// Which node each rank is on.
struct Placement {
  enum class Policy {
    block,   // ranks fill the slots of a node, then those of the next
    cyclic,  // one rank to each node in turn, as long as it has slots left
    list,    // `nodes` says it
  };
  Policy policy = Policy::block;
  std::vector<int> nodes;  // of each rank
};

// Nodes are numbered from 0 in the order of the file.
struct Target {
  std::string name;
  Compute compute = Compute::measured;
  double host_speed = 1.0;  // speed of this host's CPU relative to the reference CPU
  model::Parameters network;
  std::vector<NodeGroup> nodes;
  Placement placement;
  std::vector<model::Link> between;  // as in model::Topology, for the groups in `nodes`
  std::vector<model::Link> inside;

  int slots() const;       // how many ranks it can hold; with a list: how many that has
  int node_count() const;  // of all groups
  int group_of(int node) const;
  // The node of each of the first `ranks` ranks; 0 < ranks <= slots().
  std::vector<int> place(int ranks) const;
  model::Topology topology(int ranks) const;
  // Speed of the CPU of `node`.
  double speed_of(int node) const { return nodes[static_cast<std::size_t>(group_of(node))].speed; }
};

// Reads and checks a target file. The failure names file, line, key and what would be right.
Result<Target> load(const std::string& path);
// The same from text; `origin` stands for the file's name in messages.
Result<Target> parse(const std::string& text, const std::string& origin);
// Failure if `ranks` do not fit into the slots, or ranks < 1.
Result<void> fits(const Target& target, int ranks, const std::string& origin);

}  // namespace emu::target
