#include "prediction/uncalibrated.h"

#include <algorithm>
#include <map>

#include "target/keys.h"

namespace emu::app {

std::string group_name(const target::Target& t, int group) {
  const std::string& name = t.nodes[static_cast<std::size_t>(group)].name;
  return name.empty() ? "group " + std::to_string(group + 1) : name;
}

std::string link_name(const target::Target& t, int from, int to, bool both) {
  if (t.nodes.size() == 1) return "between nodes";
  if (from == to) return "within " + group_name(t, from);
  return group_name(t, from) + (both ? " - " : " to ") + group_name(t, to);
}

namespace {

bool calibrated(const target::Target& target) {
  return std::any_of(target.uncertainties.begin(), target.uncertainties.end(),
                     [](const auto& known) { return known.first.starts_with("network."); });
}

// True if the values differ from those of [network].
bool own(const model::Link& link, const model::Parameters& network) {
  return link.latency != network.latency || link.gap_per_byte != network.gap_per_byte ||
         link.send != network.send || link.receive != network.receive || link.pieces != network.pieces;
}

}  // namespace

std::map<std::string, double> uncalibrated_values(const target::Target& target) {
  if (!calibrated(target)) return {};
  std::map<std::string, double> result;
  for (const target::Key& key : target::keys()) {
    const std::string name(key.name);
    if (!name.starts_with("network.") || target.uncertainties.contains(name)) continue;
    if (const double value = target::values(target, key).front(); value != 0) result[name] = value;
  }
  return result;
}

std::vector<std::string> uncalibrated_links(const target::Target& target, int ranks) {
  if (!calibrated(target)) return {};
  const model::Topology topology = target.topology(ranks);
  std::map<int, std::map<int, int>> groups;  // number of ranks on the nodes of each group
  for (const model::Topology::Place& place : topology.ranks) ++groups[place.group][place.node];
  const auto between = [&](int a, int b) -> const model::Link& {
    return topology.between[static_cast<std::size_t>(a * topology.groups + b)];
  };
  std::vector<std::string> result;
  for (const auto& [a, nodes] : groups) {
    const bool shared =
        std::any_of(nodes.begin(), nodes.end(), [](const auto& node) { return node.second > 1; });
    if (shared && own(topology.inside[static_cast<std::size_t>(a)], target.network))
      result.push_back(topology.groups == 1 ? "inside a node" : "inside a node of " + group_name(target, a));
    for (const auto& [b, others] : groups) {
      const bool both = between(a, b) == between(b, a);
      if ((a == b && nodes.size() < 2) || (b < a && both) || !own(between(a, b), target.network)) continue;
      result.push_back(link_name(target, a, b, both));
    }
  }
  return result;
}

}  // namespace emu::app
