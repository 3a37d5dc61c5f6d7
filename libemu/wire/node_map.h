// Nodes and slots of ranks. Ranks of one node share a region; each has a slot in its table of bounds. If there are
// several nodes, every node has a slot, too: a slot that represents all ranks of that node. The slot of the own node
// belongs to its agent, which communicates with the other nodes (wire/agent/agent.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace emu::wire {

class NodeMap {
 public:
  // All ranks on one node.
  explicit NodeMap(int ranks) : ranks_(ranks) {}
  // The map of node `node`. `node_of`: the node of each rank; nodes are numbered from 0, and none is empty.
  NodeMap(std::vector<int> node_of, int node)
      : ranks_(static_cast<int>(node_of.size())),
        node_(node),
        node_of_(std::move(node_of)),
        slot_of_(node_of_.size()) {
    for (int r = 0; r < ranks(); ++r) {
      nodes_ = std::max(nodes_, node_of_[at(r)] + 1);
      if (node_of_[at(r)] == node) locals_.push_back(r);
    }
    first_ranks_ = locals_;
    first_ranks_.resize(locals_.size() + at(nodes_), -1);
    for (int r = 0, local = 0; r < ranks(); ++r) {
      const int n = node_of_[at(r)];
      slot_of_[at(r)] = n == node ? local++ : slot_of_node(n);
      if (int& first = first_ranks_[at(slot_of_node(n))]; first < 0) first = r;
    }
  }

  int ranks() const { return ranks_; }
  int nodes() const { return nodes_; }
  int node() const { return node_; }
  int node_of(int rank) const { return several() ? node_of_[at(rank)] : 0; }
  int leader() const { return several() ? locals_.front() : 0; }  // the lowest rank of this node

  int slots() const { return local_slots() + (several() ? nodes_ : 0); }
  int local_slots() const { return several() ? static_cast<int>(locals_.size()) : ranks_; }
  int slot_of(int rank) const { return several() ? slot_of_[at(rank)] : rank; }
  // With several nodes:
  bool several() const { return nodes_ > 1; }
  const std::vector<int>& locals() const { return locals_; }  // ranks of this node, by slot
  int slot_of_node(int node) const { return local_slots() + node; }
  int agent() const { return slot_of_node(node_); }
  // The rank of a slot, or the lowest rank of its node.
  int first_rank(int slot) const { return several() ? first_ranks_[at(slot)] : slot; }

  // Memory besides the object itself, in bytes. Each rank of a job on several nodes has its own map.
  std::size_t bytes() const {
    return (node_of_.size() + slot_of_.size() + locals_.size() + first_ranks_.size()) * sizeof(int);
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  int ranks_;
  int nodes_ = 1;
  int node_ = 0;
  // Only with several nodes; ranks of a single node save this memory.
  std::vector<int> node_of_, slot_of_, locals_, first_ranks_;
};

}  // namespace emu::wire
