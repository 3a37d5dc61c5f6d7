#include "target/selection.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/number.h"

namespace emu::target {
namespace {

const char* const write_nodes =
    " (expected the number of a node, a list such as [0, 5], a range such as \"0-31\", the name of a "
    "[[node]] group, "
    "or \"all\")";

std::vector<int> range(int first, int last) {
  std::vector<int> nodes;
  for (int node = first; node <= last; ++node) nodes.push_back(node);
  return nodes;
}

std::optional<int> number(std::string_view text) { return read_number(text, 0); }

// "0-31"; nullopt if the text is not a range.
std::optional<std::pair<int, int>> ends_of_range(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return {};
  const auto first = number(text.substr(0, dash)), last = number(text.substr(dash + 1));
  if (!first || !last) return {};
  return std::pair(*first, *last);
}

std::vector<int> named(const Table& t, std::string_view key, const std::string& text, const Target& target) {
  const int count = target.node_count();
  if (text == "all") return range(0, count - 1);
  if (const auto e = ends_of_range(text)) {
    if (e->first <= e->second && e->second < count) return range(e->first, e->second);
    t.wrong(key, "invalid range of nodes: \"" + text + "\" (expected nodes from 0 to " +
                     std::to_string(count - 1) + ")");
    return {};
  }
  int first = 0;
  for (const NodeGroup& group : target.nodes) {
    if (group.name == text) return range(first, first + group.count - 1);
    first += group.count;
  }
  t.wrong(key, "unknown group of nodes: \"" + text + "\"" + write_nodes);
  return {};
}

}  // namespace

std::vector<int> select_nodes(const Table& t, std::string_view key, const Target& target) {
  const toml::node* value = t.find(key);
  if (!value) {
    t.missing(key, std::string(key) + " = 5");
    return {};
  }
  if (const auto text = value->value_exact<std::string>()) return named(t, key, *text, target);
  std::vector<int> nodes;
  const auto add = [&](const toml::node& element) {
    const auto node = element.value_exact<std::int64_t>();
    if (node && *node >= 0 && *node < target.node_count()) {
      nodes.push_back(static_cast<int>(*node));
      return true;
    }
    t.wrong(element, key,
            node ? "invalid node: " + std::to_string(*node) + " (expected 0 to " +
                       std::to_string(target.node_count() - 1) + ")"
                 : std::string("invalid node") + write_nodes);
    return false;
  };
  if (!value->is_array()) {
    add(*value);
    return nodes;
  }
  if (value->as_array()->empty()) t.wrong(key, std::string("invalid value: an empty list") + write_nodes);
  for (const toml::node& element : *value->as_array()) {
    if (!add(element)) return {};
    if (std::find(nodes.begin(), std::prev(nodes.end()), nodes.back()) != std::prev(nodes.end())) {
      t.wrong(element, key, "duplicate node: " + std::to_string(nodes.back()) + " (expected each node once)");
      return {};
    }
  }
  return nodes;
}

}  // namespace emu::target
