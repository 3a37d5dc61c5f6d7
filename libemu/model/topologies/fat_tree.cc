#include "model/topologies/fat_tree.h"

#include <algorithm>

namespace emu::model {

double FatTreeShape::nodes() const {
  double product = 1;
  for (const Level& level : levels) product *= level.down;
  return product;
}

double FatTreeShape::links() const {
  double children = nodes(), sum = 0;
  for (const Level& level : levels) {
    sum += 2 * children * level.up * level.parallel;
    children = children / level.down * level.up;
  }
  return sum;
}

FatTree::FatTree(const FatTreeShape& shape) {
  for (const FatTreeShape::Level& level : shape.levels) nodes_ *= level.down;
  int under = 1, twins = 1, children = nodes_;
  Interval height;
  for (const FatTreeShape::Level& level : shape.levels) {
    height = height.plus(level.cable.latency);
    const int ports = level.up * level.parallel;
    levels_.push_back({level.down, level.up, ports, level.cable, under, twins, children, links_, height});
    links_ += 2 * children * ports;
    under *= level.down;
    twins *= level.up;
    children = children / level.down * level.up;
  }
}

std::size_t FatTree::meeting(int from, int to) const {
  std::size_t level = 0;
  while (from / (levels_[level].under * levels_[level].down) !=
         to / (levels_[level].under * levels_[level].down))
    ++level;
  return level;
}

void FatTree::route(int from, int to, std::vector<std::int32_t>& links) const {
  const std::size_t top = meeting(from, to);
  const auto port = [&](const Level& level) { return to / level.twins % level.ports; };
  int twin = 0;
  for (std::size_t l = 0; l <= top; ++l) {
    const Level& level = levels_[l];
    const int child = from / level.under * level.twins + twin;
    links.push_back(level.first + child * level.ports + port(level));
    twin += level.twins * (port(level) % level.up);
  }
  for (std::size_t l = top + 1; l-- > 0;) {
    const Level& level = levels_[l];
    twin %= level.twins;
    const int child = to / level.under * level.twins + twin;
    links.push_back(level.first + (level.children + child) * level.ports + port(level));
  }
}

Interval FatTree::latency(int from, int to) const { return levels_[meeting(from, to)].height.times(2); }

Interval FatTree::least_latency() const {
  for (const Level& level : levels_)
    if (level.down > 1) return level.height.times(2);
  return {};
}

FatTree::End FatTree::end_of(int link) const {
  const auto above =
      std::find_if(levels_.rbegin(), levels_.rend(), [&](const Level& level) { return level.first <= link; });
  const Level& level = *above;
  const int port = link - level.first, ups = level.children * level.ports;
  return {&level, static_cast<int>(levels_.rend() - above) - 1, port < ups, port % ups / level.ports,
          port % level.ports};
}

std::string FatTree::name(int link) const {
  const End end = end_of(link);
  std::string name = end.number == 0   ? "node"
                     : end.number == 1 ? "leaf"
                                       : "level" + std::to_string(end.number) + ".";
  name += std::to_string(end.child) + (end.up ? "-up" : "-down");
  return end.number == 0 && end.level->ports == 1 ? name : name + std::to_string(end.port);
}

int FatTree::elements(int level) const {
  if (level < levels()) return levels_[static_cast<std::size_t>(level)].children;
  return levels_.back().children / levels_.back().down * levels_.back().up;
}

int FatTree::parent(int level, int child, int port) const {
  const Level& l = levels_[static_cast<std::size_t>(level)];
  const int block = child / l.twins / l.down;
  return block * l.twins * l.up + child % l.twins + l.twins * (port % l.up);
}

double FatTree::bisection() const {
  double least = 0;
  int under = nodes_;
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
    if (level->under == nodes_) continue;  // all nodes are below a single switch
    const double here = capacity(level->cable.gap_per_byte, level->children * level->ports / 2.0);
    if (under == nodes_ || here < least) least = here;
    under = level->under;
  }
  return least;
}

}  // namespace emu::model
