// An unbalanced tree that need not be stored, because the children of a node follow from the node itself. It is a
// binomial tree as in the unbalanced tree search benchmark (Olivier et al., LCPC 2006): the root has many children,
// each other node has a fixed number with some probability, else none. A few subtrees have most of the nodes, but no
// rank knows which.
#pragma once

#include <cstdint>

namespace stealing {

struct Node {
  std::uint64_t name = 0;
};

struct Tree {
  std::int32_t roots = 200;   // children of the root
  std::int32_t branches = 4;  // number of children of another node that has any
  double chance = 0.24;       // probability that a node has children; branches * chance is below 1

  Node root() const { return {1}; }
  int children(const Node& node) const;
  Node child(const Node& node, int number) const;
};

// The result of a search: the number of nodes, and a sum over them that identifies the set.
struct Found {
  std::int64_t nodes = 0;
  std::uint64_t sum = 0;
  void visit(const Node& node) {
    ++nodes;
    sum += node.name * node.name;
  }
};

}  // namespace stealing
