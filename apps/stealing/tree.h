// An unbalanced tree that need not be stored: a node's children follow from the node itself. A binomial tree as in the
// unbalanced tree search benchmark (Olivier et al., LCPC 2006): the root has many children, and each other node with some
// probability a fixed number of them, else none. So a few subtrees hold most of the nodes, and nobody knows which.
#pragma once

#include <cstdint>

namespace stealing {

struct Node {
  std::uint64_t name = 0;
};

struct Tree {
  std::int32_t roots = 200;   // children of the root
  std::int32_t branches = 4;  // of each other node that has any
  double chance = 0.24;       // that it has; branches * chance below 1

  Node root() const { return {1}; }
  int children(const Node& node) const;
  Node child(const Node& node, int number) const;
};

// Of the search: how many nodes there are, and a sum over them that depends on which.
struct Found {
  std::int64_t nodes = 0;
  std::uint64_t sum = 0;
  void visit(const Node& node) {
    ++nodes;
    sum += node.name * node.name;
  }
};

}  // namespace stealing
