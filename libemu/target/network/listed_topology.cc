#include "target/network/listed_topology.h"

#include <algorithm>

#include "base/units.h"
#include "model/topologies/links.h"
#include "target/selection.h"

namespace emu::target {
namespace {

using model::ListedLink;
using model::ListedRoute;

std::vector<ListedLink> links(const Table& t) {
  std::vector<ListedLink> result;
  for (const Table& one : t.tables("link", {"name", "bandwidth", "latency"})) {
    ListedLink link;
    link.name = one.text("name", "uplink0");
    const auto same = [&](const ListedLink& other) { return other.name == link.name; };
    if (std::any_of(result.begin(), result.end(), same))
      one.wrong("name", "duplicate name of a link: \"" + link.name + "\"");
    if (const toml::node* node = one.find("bandwidth"))
      link.gap_per_byte = bandwidth_of(one, "bandwidth", *node).value_or(Rate());
    else
      one.missing("bandwidth", "bandwidth = \"10Gbit/s\"");
    link.latency = one.interval("latency", Interval());
    result.push_back(link);
  }
  return result;
}

// Numbers of the links that `via` names, in its order.
std::vector<std::int32_t> via(const Table& t, const std::vector<ListedLink>& links) {
  const toml::node* const value = t.find("via");
  std::vector<std::int32_t> result;
  if (!value) {
    t.missing("via", "via = [\"uplink0\", \"uplink1\"]");
    return result;
  }
  const auto add = [&](const toml::node& node) {
    const auto name = node.value_exact<std::string>();
    if (!name)
      return t.wrong(node, "via", "invalid value (expected a list of names of links, such as [\"uplink0\"])");
    const auto found =
        std::find_if(links.begin(), links.end(), [&](const ListedLink& link) { return link.name == *name; });
    if (found == links.end())
      return t.wrong(node, "via",
                     "unknown link: \"" + *name + "\" (expected the name of a [[topology.link]])");
    const auto number = static_cast<std::int32_t>(found - links.begin());
    if (std::find(result.begin(), result.end(), number) != result.end())
      return t.wrong(node, "via", "duplicate link: \"" + *name + "\" (expected each link once)");
    result.push_back(number);
  };
  if (value->is_array())
    for (const toml::node& node : *value->as_array()) add(node);
  else
    add(*value);
  return result;
}

ListedRoute route(const Table& t, const std::vector<ListedLink>& links, const Target& target) {
  ListedRoute result{select_nodes(t, "from", target), select_nodes(t, "to", target), via(t, links),
                     t.truth("oneway", false)};
  if (result.from.size() == 1 && result.from == result.to)
    t.wrong("to", "invalid node: " + std::to_string(result.to.front()) +
                      " (expected another one than from: messages inside a node pass no links)");
  return result;
}

}  // namespace

std::optional<Rate> bandwidth_of(const Table& t, std::string_view key, const toml::node& node) {
  const char* const right = " (expected a rate such as \"10Gbit/s\")";
  const auto text = node.value_exact<std::string>();
  if (!text) {
    t.wrong(node, key, std::string("invalid bandwidth") + right);
    return {};
  }
  const auto value = parse_time_per_byte(*text);
  if (!value) {
    t.wrong(node, key, value.error().message);
  } else if (*value == Rate()) {
    t.wrong(node, key, "infinite bandwidth: \"" + *text + "\"" + right);
  } else if (*value > Rate::femtoseconds_per_byte(1'000'000'000'000)) {
    t.wrong(node, key, "invalid bandwidth: \"" + *text + "\" (expected \"1kB/s\" or more)");
  } else {
    return *value;
  }
  return {};
}

std::shared_ptr<const model::Interconnect> listed_topology(const Table& t, const Target& target) {
  const std::size_t before = t.mistakes();
  const auto known = links(t);
  std::vector<ListedRoute> routes;
  const auto tables = t.tables("route", {"from", "to", "via", "oneway"});
  routes.reserve(tables.size());
  for (const Table& one : tables) routes.push_back(route(one, known, target));
  if (t.mistakes() > before) return {};
  const auto result = std::make_shared<model::ListedLinks>(target.node_count(), known, routes);
  if (const auto again = result->repeated(); again) {
    tables[again->route].wrong("from", "duplicate route from node " + std::to_string(again->from) +
                                           " to node " + std::to_string(again->to) +
                                           " (expected each pair once)");
    return {};
  }
  if (const auto pair = result->unconnected(); pair.from != pair.to) {
    t.wrong("route", "no route from node " + std::to_string(pair.from) + " to node " +
                         std::to_string(pair.to) + " (expected a [[topology.route]] for each pair of nodes)");
    return {};
  }
  return result;
}

}  // namespace emu::target
