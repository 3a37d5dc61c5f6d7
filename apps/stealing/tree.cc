#include "tree.h"

namespace stealing {
namespace {

// splitmix64 (Steele, Lea and Flood 2014).
std::uint64_t mixed(std::uint64_t i) {
  std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace

int Tree::children(const Node& node) const {
  if (node.name == root().name) return roots;
  const double drawn = static_cast<double>(mixed(node.name) >> 11) * 0x1p-53;
  return drawn < chance ? branches : 0;
}

Node Tree::child(const Node& node, int number) const {
  return {mixed(node.name ^ mixed(static_cast<std::uint64_t>(number) + 2))};
}

}  // namespace stealing
