#include "target/placement.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace emu::target {
namespace {

// A list of nodes, one for each rank.
std::vector<int> list(const Table& t, const toml::array& array, const Target& target) {
  std::vector<int> nodes, used(static_cast<std::size_t>(target.node_count()));
  for (const toml::node& element : array) {
    const auto node = element.value_exact<std::int64_t>();
    const std::string place = "entry " + std::to_string(nodes.size());
    if (!node || *node < 0 || *node >= target.node_count()) {
      t.wrong(element, "policy",
              "invalid " + place + (node ? ": node " + std::to_string(*node) : "") +
                  " (expected a node from 0 to " + std::to_string(target.node_count() - 1) + ")");
      return {0};
    }
    const int slots = target.nodes[static_cast<std::size_t>(target.group_of(static_cast<int>(*node)))].slots;
    if (++used[static_cast<std::size_t>(*node)] > slots) {
      t.wrong(element, "policy",
              "invalid " + place + ": node " + std::to_string(*node) + " (expected at most " +
                  std::to_string(slots) + " times, its slots)");
      return {0};
    }
    nodes.push_back(static_cast<int>(*node));
  }
  if (nodes.empty())
    t.wrong(array, "policy", "invalid value: an empty list (expected the node of each rank)");
  return nodes;
}

bool is_number_or_range(const std::string& name) {
  return name.find_first_not_of("0123456789-") == std::string::npos;
}

}  // namespace

void check_names(const std::vector<Table>& tables, const std::vector<NodeGroup>& groups) {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::string& name = groups[i].name;
    if (name.empty()) continue;
    if (name == "all" || is_number_or_range(name))
      tables[i].wrong("name", "invalid name: \"" + name + "\" (reserved; expected a name such as \"fast\")");
    const auto same = [&](const NodeGroup& other) { return other.name == name; };
    if (std::any_of(groups.begin(), groups.begin() + static_cast<std::ptrdiff_t>(i), same))
      tables[i].wrong("name", "duplicate name of a group: \"" + name + "\"");
  }
}

void check_slots(const std::vector<Table>& tables, const std::vector<NodeGroup>& groups) {
  std::int64_t slots = 0;
  for (const NodeGroup& group : groups) slots += std::int64_t{group.count} * group.slots;
  if (slots > Table::max_count)
    tables.front().wrong("count", "all groups together have " + std::to_string(slots) +
                                      " slots (expected at most " + std::to_string(Table::max_count) + ")");
}

Placement placement(const Table& root, const Target& target) {
  Placement result;
  const auto t = root.table("placement", {"policy"}, false);
  if (!t || target.nodes.empty()) return result;
  if (const toml::node* node = t->find("policy"); node && node->is_array()) {
    result.policy = Placement::Policy::list;
    result.nodes = list(*t, *node->as_array(), target);
    result.line = node->source().begin.line;
  } else {
    result.policy =
        t->choice("policy", {"block", "cyclic"}) == 0 ? Placement::Policy::block : Placement::Policy::cyclic;
  }
  return result;
}

// --- properties of the nodes of a target

int Target::slots() const {
  if (placement.policy == Placement::Policy::list) return static_cast<int>(placement.nodes.size());
  int sum = 0;
  for (const NodeGroup& group : nodes) sum += group.count * group.slots;
  return sum;
}

bool Target::shares_nodes() const {
  return std::any_of(nodes.begin(), nodes.end(), [](const NodeGroup& group) { return group.slots > 1; });
}

int Target::node_count() const {
  int sum = 0;
  for (const NodeGroup& group : nodes) sum += group.count;
  return sum;
}

int Target::group_of(int node) const {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    node -= nodes[i].count;
    if (node < 0) return static_cast<int>(i);
  }
  return static_cast<int>(nodes.size()) - 1;
}

std::vector<int> Target::place(int ranks) const {
  std::vector<int> result;
  for (const model::Places::Place place : places(ranks)) result.push_back(place.node);
  return result;
}

model::Places Target::places(int ranks) const {
  model::Places result;
  if (placement.policy == Placement::Policy::list) {
    for (int rank = 0; rank < ranks; ++rank) {
      const int node = placement.nodes[static_cast<std::size_t>(rank)];
      result.push_back({node, group_of(node)});
    }
    return result;
  }
  const bool block = placement.policy == Placement::Policy::block;
  // Block: node after node. Cyclic: round after round over the nodes that have a free slot.
  for (int round = 0, left = ranks; left > 0; ++round) {
    int first = 0;
    for (int g = 0; g < static_cast<int>(nodes.size()); ++g) {
      const NodeGroup& group = nodes[static_cast<std::size_t>(g)];
      const int here = block ? group.slots : (round < group.slots ? 1 : 0);
      for (int i = 0; here > 0 && i < group.count && left > 0; ++i)
        for (int slot = 0; slot < here && left > 0; ++slot, --left) result.push_back({first + i, g});
      first += group.count;
    }
  }
  return result;
}

model::Speed Target::undivided_speed(int node) const {
  const NodeGroup& group = nodes[static_cast<std::size_t>(group_of(node))];
  std::int64_t usual = std::llround(group.speed * static_cast<double>(model::one));
  if (group.spread > 0)
    usual = model::spread(usual, std::llround(group.spread * 1e6),
                          model::normal(group.jitter.seed, static_cast<std::uint64_t>(node), 0));
  model::Speed speed(usual);
  speed.vary(group.jitter);
  return speed;
}

int Target::ranks_on(int node, int ranks) const {
  if (placement.policy == Placement::Policy::list)
    return static_cast<int>(std::count(placement.nodes.begin(), placement.nodes.begin() + ranks, node));
  if (placement.policy == Placement::Policy::block) {
    for (const NodeGroup& group : nodes) {
      if (node < group.count) return std::clamp(ranks - node * group.slots, 0, group.slots);
      node -= group.count;
      ranks -= group.count * group.slots;
    }
    return 0;
  }
  // In each round, one rank for each node that has a free slot.
  const int slots = nodes[static_cast<std::size_t>(group_of(node))].slots;
  int here = 0;
  for (int round = 0; round < slots && ranks > 0; ++round) {
    int before = 0, in_round = 0, first = 0;
    for (const NodeGroup& group : nodes) {
      if (group.slots > round) {
        before += std::clamp(node - first, 0, group.count);
        in_round += group.count;
      }
      first += group.count;
    }
    if (before < ranks) ++here;
    ranks -= in_round;
  }
  return here;
}

namespace {

// The part of the speed for each rank of a node with `ranks` ranks, in billionths.
std::int64_t left_with(const NodeGroup& group, int ranks) {
  if (group.speed_with.empty() || ranks < 1) return model::one;
  return group.speed_with[std::min(static_cast<std::size_t>(ranks), group.speed_with.size()) - 1];
}

}  // namespace

double Target::nominal_speed(int node, int ranks) const {
  const NodeGroup& group = nodes[static_cast<std::size_t>(group_of(node))];
  return group.speed * static_cast<double>(left_with(group, ranks_on(node, ranks))) / model::one;
}

model::Speed Target::usual_speed(int node, int ranks) const {
  model::Speed speed = undivided_speed(node);
  speed.scale(left_with(nodes[static_cast<std::size_t>(group_of(node))], ranks_on(node, ranks)));
  return speed;
}

model::Speed Target::speed(int node, int ranks) const {
  const auto changed = speeds.find(node);
  if (changed == speeds.end()) return usual_speed(node, ranks);
  model::Speed speed = changed->second;
  speed.scale(left_with(nodes[static_cast<std::size_t>(group_of(node))], ranks_on(node, ranks)));
  return speed;
}

model::Outages Target::outages_of(int node) const {
  const auto found = outages.find(node);
  return found == outages.end() ? model::Outages() : found->second;
}

std::vector<Instant> Target::failures(int ranks) const {
  std::vector<Instant> result;
  if (outages.empty()) return result;
  bool any = false;
  for (int node : place(ranks)) {
    result.push_back(outages_of(node).end());
    any = any || !result.back().is_never();
  }
  if (!any) result.clear();
  return result;
}

std::map<Instant, std::vector<int>> Target::stopped_nodes(int ranks) const {
  const std::vector<int> places = place(ranks);
  const std::set<int> occupied(places.begin(), places.end());
  std::map<Instant, std::vector<int>> result;
  for (const auto& [node, speed] : speeds)
    if (const Instant stops = speed.stops();
        !stops.is_never() && outages_of(node).end().is_never() && occupied.count(node))
      result[stops].push_back(node);
  return result;
}

model::Topology Target::topology(int ranks) const {
  model::Topology t;
  t.ranks = places(ranks);
  t.groups = static_cast<int>(nodes.size());
  t.between = between;
  t.inside = inside;
  t.interconnect = interconnect;
  return t;
}

}  // namespace emu::target
