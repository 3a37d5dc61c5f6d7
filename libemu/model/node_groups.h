// Members of a communicator by node, as one member sees them: the members on its own node, and the first
// member of each node, its leader.
//
// Leaders are numbered in the order of their ranks. Takes little memory for members that fill the nodes in order.
#pragma once

#include <cstddef>
#include <vector>

#include "model/places.h"

namespace emu::model {

class NodeGroups {
 public:
  // `node_of(i)`: the node of member i of `size`. `rank`: the own member.
  template <class NodeOf>
  NodeGroups(int rank, int size, const NodeOf& node_of) : rank_(rank) {
    for (int i = 0; i < size; ++i) nodes_.push_back({node_of(i), 0});
    const int here = node(rank);
    std::vector<bool> seen;
    for (int i = 0; i < size; ++i) {
      const auto at = static_cast<std::size_t>(node(i));
      if (node(i) == here) mates_.push_back(i);
      if (at >= seen.size()) seen.resize(at + 1);
      if (seen[at]) continue;
      seen[at] = true;
      if (node(i) == here) number_ = leaders_;
      if (runs_.empty() || !runs_.back().takes(i)) runs_.push_back({leaders_, i, 1, 0});
      ++runs_.back().count;
      ++leaders_;
    }
  }

  int rank() const { return rank_; }
  int size() const { return static_cast<int>(nodes_.size()); }
  // True if a node has several members.
  bool shared() const { return leaders_ < size(); }

  // Members on the own node, in ascending order, including the own member.
  const std::vector<int>& mates() const { return mates_; }
  // The position of a member in mates(); -1: it is on another node.
  int among_mates(int member) const {
    for (std::size_t i = 0; i < mates_.size(); ++i)
      if (mates_[i] == member) return static_cast<int>(i);
    return -1;
  }
  bool leads() const { return mates_.front() == rank_; }

  int leaders() const { return leaders_; }
  int leader(int number) const {
    std::size_t run = runs_.size() - 1;
    while (runs_[run].number > number) --run;
    return runs_[run].first + (number - runs_[run].number) * runs_[run].step;
  }
  int own_number() const { return number_; }  // of the own leader
  // Number of the leader of the node of `member`.
  int number_of(int member) const {
    int number = 0;
    while (node(leader(number)) != node(member)) ++number;
    return number;
  }

 private:
  // Leaders at equal distances.
  struct Run {
    int number;  // of the first leader
    int first;
    int step;
    int count;

    // True if `rank` can be the next one.
    bool takes(int rank) {
      if (count == 1) step = rank - first;
      return rank == first + count * step;
    }
  };
  int node(int member) const { return nodes_[static_cast<std::size_t>(member)].node; }

  int rank_;
  Places nodes_;
  std::vector<int> mates_;
  std::vector<Run> runs_;
  int leaders_ = 0;
  int number_ = 0;
};

}  // namespace emu::model
