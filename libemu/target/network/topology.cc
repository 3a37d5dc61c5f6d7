#include "target/network/topology.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "model/topologies/dragonfly.h"
#include "model/topologies/fat_tree.h"
#include "model/topologies/star.h"
#include "model/topologies/torus.h"
#include "target/network/listed_topology.h"

namespace emu::target {
namespace {

using model::Cable;
using Made = std::shared_ptr<const model::Interconnect>;

constexpr double most_links = 10'000'000;

// Whole numbers from 1, one for each `what`. `number`: the required length of the list; nothing: any length.
std::vector<int> counts(const Table& t, std::string_view key, std::string_view example,
                        std::optional<std::size_t> number = {}) {
  const toml::node& value = *t.find(key);
  const std::string right = ", such as " + std::string(key) + " = " + std::string(example) + ")";
  std::vector<int> result;
  if (!value.is_array() || value.as_array()->empty()) {
    t.wrong(key, "invalid value (expected a list of whole numbers" + right);
    return result;
  }
  for (const toml::node& node : *value.as_array()) {
    const auto one = node.value_exact<std::int64_t>();
    if (!one || *one < 1 || *one > Table::max_count)
      t.wrong(node, key,
              "invalid entry " + std::to_string(result.size()) + " (expected a whole number from 1 to " +
                  std::to_string(Table::max_count) + right);
    result.push_back(static_cast<int>(one.value_or(1)));
  }
  if (number && result.size() != *number)
    t.wrong(key, "invalid value: a list of " + std::to_string(result.size()) + " (expected " +
                     std::to_string(*number) + ", one for each level)");
  return result;
}

// The value of `key` for each of `levels`: one value for all, or a list.
template <class Value, class Read>
std::vector<Value> each(const Table& t, std::string_view key, std::size_t levels, const std::string& order,
                        const Read& read) {
  const toml::node& value = *t.find(key);
  if (!value.is_array()) return std::vector<Value>(levels, read(value));
  std::vector<Value> result;
  for (const toml::node& node : *value.as_array()) result.push_back(read(node));
  if (result.size() != levels) {
    t.wrong(key, "invalid value: a list of " + std::to_string(result.size()) + " (expected one value, or " +
                     std::to_string(levels) + ": " + order + ")");
    result.resize(levels);
  }
  return result;
}

// The keys `bandwidth` and `latency` for each level. `order`: of the levels, in words.
std::vector<Cable> cables(const Table& t, std::size_t levels, const std::string& order) {
  std::vector<Cable> result(levels);
  if (t.has("bandwidth")) {
    const auto read = [&](const toml::node& node) {
      return bandwidth_of(t, "bandwidth", node).value_or(Rate());
    };
    const auto rates = each<Rate>(t, "bandwidth", levels, order, read);
    for (std::size_t i = 0; i < levels; ++i) result[i].gap_per_byte = rates[i];
  } else {
    t.missing("bandwidth", "bandwidth = \"10Gbit/s\"");
  }
  if (t.has("latency")) {
    const auto read = [&](const toml::node& node) { return t.interval_at(node, "latency"); };
    const auto latencies = each<Interval>(t, "latency", levels, order, read);
    for (std::size_t i = 0; i < levels; ++i) result[i].latency = latencies[i];
  }
  return result;
}

// Reports a topology that is too small for the target, or too large for any. `key` is the key of its size.
bool fits(const Table& t, std::string_view key, double nodes, double links, const Target& target) {
  if (nodes > Table::max_count || links > most_links) {
    std::ostringstream size;
    size << nodes << " nodes and " << links << " links";
    t.wrong(key, "too large: " + size.str() + " (expected at most " + std::to_string(Table::max_count) +
                     " and " + std::to_string(static_cast<std::int64_t>(most_links)) + ")");
    return false;
  }
  if (nodes < target.node_count()) {
    t.wrong(key, "too small: " + counted(static_cast<std::int64_t>(nodes), "node") + " (expected at least " +
                     std::to_string(target.node_count()) + ", the target's)");
    return false;
  }
  return true;
}

// --- one function per kind

// The parents of each level of a fat tree for which only the taper of
// its leaf switches is given: above them, as many ports up as down.
void read_taper(const Table& t, model::FatTreeShape& shape) {
  const double taper = t.positive("taper", 1);
  if (taper < 1)
    t.wrong("taper",
            "invalid number: below 1 (expected the down ports of a leaf switch for each of its up ports, "
            "such as 2)");
  for (std::size_t l = 1; l < shape.levels.size(); ++l) {
    const model::FatTreeShape::Level& below = shape.levels[l - 1];
    const double ports = 1.0 * below.down * below.parallel / (l == 1 ? std::max(taper, 1.0) : 1.0);
    const double parents = ports / shape.levels[l].parallel;
    shape.levels[l].up = std::max(1, static_cast<int>(std::lround(parents)));
    if (parents >= 1 && std::abs(parents - std::lround(parents)) < 1e-9) continue;
    std::ostringstream said;
    said << "leaves a switch of level " << l << " with " << ports << " up ports, on "
         << counted(shape.levels[l].parallel, "cable")
         << " to each parent (expected up = [...], the parents of each level)";
    t.wrong(t.has("taper") ? "taper" : "down", said.str());
    return;
  }
}

Made fat_tree(const Table& t, const Target& target) {
  const std::size_t before = t.mistakes();
  if (!t.has("down")) {
    t.missing("down", "down = [16, 4]");
    return {};
  }
  const auto down = counts(t, "down", "[16, 4]");
  const std::size_t levels = down.size();
  model::FatTreeShape shape;
  const auto parallel =
      t.has("parallel") ? counts(t, "parallel", "[1, 2]", levels) : std::vector<int>(levels, 1);
  if (t.mistakes() > before) return {};
  const auto cable = cables(t, levels, "that of the nodes, then of each level of switches");
  for (std::size_t l = 0; l < levels; ++l) shape.levels.push_back({down[l], 1, parallel[l], cable[l]});
  if (t.has("up")) {
    if (t.has("taper")) t.wrong("taper", "taper and up exclude each other (expected one of them)");
    const auto up = counts(t, "up", "[1, 16]", levels);
    for (std::size_t l = 0; l < std::min(levels, up.size()); ++l) shape.levels[l].up = up[l];
  } else {
    read_taper(t, shape);
  }
  if (t.mistakes() > before || !fits(t, "down", shape.nodes(), shape.links(), target)) return {};
  return std::make_shared<model::FatTree>(shape);
}

Made torus(const Table& t, const Target& target) {
  const std::size_t before = t.mistakes();
  if (!t.has("dimensions")) {
    t.missing("dimensions", "dimensions = [4, 4, 4]");
    return {};
  }
  const auto sizes = counts(t, "dimensions", "[4, 4, 4]");
  if (t.mistakes() > before) return {};
  const auto cable = cables(t, sizes.size(), "one for each dimension");
  model::TorusShape shape;
  for (std::size_t d = 0; d < sizes.size(); ++d) shape.dimensions.push_back({sizes[d], cable[d]});
  if (t.mistakes() > before || !fits(t, "dimensions", shape.nodes(), shape.links(), target)) return {};
  return std::make_shared<model::Torus>(shape);
}

Made dragonfly(const Table& t, const Target& target) {
  const std::size_t before = t.mistakes();
  model::DragonflyShape shape;
  shape.groups = t.count("groups");
  shape.routers = t.count("routers");
  shape.nodes_each = t.count("nodes");
  shape.global_links = t.count("global_links");
  shape.arrangement = static_cast<model::Arrangement>(t.choice("arrangement", {"consecutive", "palm-tree"}));
  const auto cable = cables(t, 3, "from node to router, inside a group, between groups");
  shape.node = cable[0];
  shape.local = cable[1];
  shape.global = cable[2];
  if (t.mistakes() > before || !fits(t, "groups", shape.nodes(), shape.links(), target)) return {};
  if (shape.groups - 1 > shape.routers * shape.global_links) {
    t.wrong("global_links",
            "gives a group " + std::to_string(shape.routers * shape.global_links) + " links to the other " +
                std::to_string(shape.groups - 1) +
                " groups (expected one for each of them, over all routers of a group, or more)");
    return {};
  }
  return std::make_shared<model::Dragonfly>(shape);
}

Made star(const Table& t, const Target& target) {
  const std::size_t before = t.mistakes();
  model::StarShape shape;
  shape.nodes = target.node_count();
  shape.cable = cables(t, 1, "that of each node").front();
  if (t.has("backbone")) shape.backbone = bandwidth_of(t, "backbone", *t.find("backbone"));
  if (t.mistakes() > before) return {};
  return std::make_shared<model::Star>(shape);
}

struct Kind {
  std::string_view name;
  Keys keys;
  Made (*read)(const Table&, const Target&);
};

// In the order in which messages list them.
const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"fat-tree", {"down", "up", "parallel", "taper", "bandwidth", "latency"}, fat_tree},
      {"torus", {"dimensions", "bandwidth", "latency"}, torus},
      {"dragonfly",
       {"groups", "routers", "nodes", "global_links", "arrangement", "bandwidth", "latency"},
       dragonfly},
      {"star", {"backbone", "bandwidth", "latency"}, star},
      {"links", {"link", "route"}, listed_topology},
  };
  return all;
}

bool has(const Keys& keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

// Reports keys that only other kinds have.
void check_keys(const Table& t, const Kind& kind) {
  Keys seen;
  for (const Kind& other : kinds())
    for (const std::string_view key : other.keys) {
      if (has(kind.keys, key) || has(seen, key) || !t.has(key)) continue;
      seen.push_back(key);
      if (kind.name == "links")
        t.wrong(key, "unknown key for kind = \"links\" (expected in each [[topology.link]])");
      else
        t.wrong(key, "unknown key for kind = \"" + std::string(kind.name) +
                         "\" (expected only for kind = \"" + std::string(other.name) + "\")");
    }
}

// One rule for all resources, which [network] may have set already.
void read_share(const Table& root, const Table& t, Target& target) {
  if (!t.has("share")) return;
  const auto share = static_cast<model::Share>(t.choice("share", {"fair", "fifo"}));
  const toml::node* const network = root.find("network");
  if (network && network->is_table() && network->as_table()->contains("share") &&
      share != target.network.nodes.share)
    t.wrong("share", "differs from network.share (expected one for cards, memory and links)");
  target.network.nodes.share = share;
}

}  // namespace

void read_topology(const Table& root, Target& target) {
  Keys known = {"kind", "share"}, names;
  for (const Kind& kind : kinds()) {
    names.push_back(kind.name);
    for (const std::string_view key : kind.keys)
      if (!has(known, key)) known.push_back(key);
  }
  const auto t = root.table("topology", known, false);
  if (!t) return;
  read_share(root, *t, target);
  if (!t->has("kind")) return t->missing("kind", "kind = \"fat-tree\"");
  const auto number = t->one_of("kind", names);
  if (!number) return;
  const Kind& kind = kinds()[static_cast<std::size_t>(*number)];
  if (target.network.medium != model::Medium::network)
    t->wrong("kind", std::string("excludes network.medium = \"") +
                         (target.network.medium == model::Medium::bus ? "bus" : "grid") +
                         "\" (expected \"switch\")");
  check_keys(*t, kind);
  if (target.nodes.empty()) return;  // reported already
  target.interconnect = kind.read(*t, target);
}

}  // namespace emu::target
