#include "target/target.h"

#include <algorithm>
#include <cmath>

#include "base/printable.h"
#include "base/units.h"
#include "target/algorithms.h"
#include "target/changes.h"
#include "target/keys.h"
#include "target/network/cards.h"
#include "target/network/links.h"
#include "target/network/topology.h"
#include "target/placement.h"
#include "target/power.h"
#include "target/table.h"

namespace emu::target {
namespace {

// One function per table of the file. A new key is a name in `known` and a line below it.

// The keys of one table of the file: those in keys.h, and `others`.
Keys leaves(std::string_view table, const Keys& others) {
  Keys result;
  for (const Key& key : keys())
    if (key.table() == table) result.push_back(key.leaf());
  result.insert(result.end(), others.begin(), others.end());
  return result;
}

// Reads the values of the table `name`, which is `t`.
void read_values(const Table& t, std::string_view name, Target& target) {
  for (const Key& key : keys()) {
    if (key.table() != name) continue;
    if (key.time) {
      std::optional<Interval> otherwise;
      if (key.otherwise) otherwise = Interval::picoseconds(*key.otherwise);
      *key.time(target) = t.interval(key.leaf(), otherwise);
    } else if (key.rate) {
      std::optional<Rate> otherwise;
      if (key.otherwise) otherwise = Rate::femtoseconds_per_byte(*key.otherwise);
      *key.rate(target) = t.time_per_byte(key.leaf(), otherwise);
    }
  }
}

int trips(const Table& network) {
  constexpr const char* key = "handshake_trips";
  constexpr std::int64_t least = 2, most = 16;
  const std::int64_t value = network.whole(key, least);
  if (value >= least && value <= most) return static_cast<int>(value);
  network.wrong(key, "invalid number: " + std::to_string(value) +
                         " (expected a whole number from 2, request and answer, to 16)");
  return least;
}

void read_medium(const Table& t, model::Parameters& p) {
  p.medium = static_cast<model::Medium>(t.choice("medium", {"switch", "bus", "grid"}));
  if (p.medium == model::Medium::grid)
    p.columns = t.count("columns");
  else if (t.has("columns"))
    t.wrong("columns", "needs medium = \"grid\"");
}

void read_network(const Table& root, Target& target) {
  model::Parameters& p = target.network;
  p.poll = Interval::picoseconds(1'000'000);  // without [network.poll]
  Keys others = card_keys();
  for (const char* key : {"eager_limit", "handshake_trips", "rendezvous", "put_limit", "send_returns",
                          "medium", "columns", "temporary_from", "send", "receive", "poll", "piece"})
    others.push_back(key);
  const auto t = root.table("network", leaves("network", others));
  if (!t) return;
  read_values(*t, "network", target);
  const auto limit = t->size_or_unlimited("eager_limit");
  p.always_eager = !limit;
  p.eager_limit = limit.value_or(0);
  p.handshake_trips = trips(*t);
  if (t->has("temporary_from")) p.temporary_from = t->size("temporary_from").value_or(0);
  read_medium(*t, p);
  read_cards(*t, p);
  p.rendezvous = rendezvous(*t, p, true);
  p.put_limit = put_limit(*t, p.rendezvous).value_or(0);
  p.send_returns = send_returns(*t, root, p, true);
  for (const char* part : {"send", "receive", "poll"}) {
    const std::string name = std::string("network.") + part;
    const bool poll = part == std::string("poll");
    const auto own = t->table(part, leaves(name, poll ? Keys{"growth"} : Keys{}), !poll);
    if (!own) continue;
    read_values(*own, name, target);
    if (poll) p.poll_growth = std::llround(own->percentage("growth") * 1e9);
  }
  p.pieces = pieces(*t, {0, p.latency, p.gap_per_byte, p.send, p.receive});
}

void read_storage(const Table& root, Target& target) {
  const auto t = root.table("storage", leaves("storage", {"shared"}), false);
  if (!t) return;
  target.storage.given = true;
  read_values(*t, "storage", target);
  target.storage.shared = t->truth("shared", false);
}

// The part of the speed for each rank, by the number of ranks on the node.
std::vector<std::int64_t> speed_with(const Table& t, int slots) {
  std::vector<std::int64_t> result;
  const toml::array* const list = t.find("speed_with")->as_array();
  if (!list || list->size() != static_cast<std::size_t>(slots)) {
    t.wrong("speed_with", (list ? "invalid number of factors: " + std::to_string(list->size()) + " (expected "
                                : "invalid value (expected a list of ") +
                              std::to_string(slots) + ", for 1 to " + std::to_string(slots) +
                              " ranks on the node, such as [1.0, 0.95, ...])");
    return result;
  }
  for (const toml::node& node : *list) {
    double speed = node.is_number() ? node.value<double>().value_or(0) : 0;
    if (!(speed >= 1e-6 && speed <= 1e6)) {
      t.wrong(node, "speed_with",
              "invalid entry " + std::to_string(result.size()) +
                  " (expected a number from 0.000001 to 1000000, such as 0.95)");
      speed = 1;
    }
    result.push_back(std::llround(speed * 1e9));
  }
  return result;
}

NodeGroup node_group(const Table& t, Compute compute) {
  NodeGroup group{t.count("count"), t.count("slots", 1), 1.0, t.optional_text("name", "fast")};
  group.speed = t.positive("speed", 1.0, &group.spread);
  if (t.has("speed_with")) group.speed_with = speed_with(t, group.slots);
  if (t.has("cores")) group.cores = t.count("cores");
  check_power(t);
  group.jitter.deviation = std::llround(t.percentage("jitter") * 1e6);
  group.jitter.seed = static_cast<std::uint64_t>(t.whole("seed", 1));
  if (t.has("jitter") && compute == Compute::measured)
    t.wrong("jitter", "needs compute = \"declared\": measured work varies by itself");
  return group;
}

Target target(const Table& root, const ReadFile& read) {
  Target result;
  result.name = root.text("name", "64 x Pentium III 1 GHz, MPICH on Fast Ethernet");
  result.compute =
      root.choice("compute", {"measured", "declared"}) == 0 ? Compute::measured : Compute::declared;
  result.on_failure = static_cast<OnFailure>(root.choice("on_failure", {"silent", "error", "abort"}));
  result.host_speed = root.positive("host_speed", 1.0);
  read_network(root, result);
  Keys of_collectives = algorithm_keys();
  of_collectives.push_back("scatter");
  if (const auto t = root.table("collectives", of_collectives, false)) {
    result.scatter = static_cast<Scatter>(t->choice("scatter", {"balanced", "uniform"}));
    result.algorithms = algorithms(*t);
  }
  read_storage(root, result);
  const auto groups = root.tables(
      "node", {"name", "count", "slots", "speed", "speed_with", "cores", "watts", "jitter", "seed"});
  for (const Table& t : groups) result.nodes.push_back(node_group(t, result.compute));
  check_names(groups, result.nodes);
  check_slots(groups, result.nodes);
  if (!groups.empty()) result.nodes_line = groups.front().line();
  result.placement = placement(root, result);
  read_links(root, result);
  read_topology(root, result);
  read_changes(root, read, result);
  return result;
}

Result<Target> checked(const toml::table& file, const std::string& origin, const ReadFile& read) {
  const Keys values = {"name", "compute", "host_speed", "on_failure"};
  Keys known = {"network", "node", "placement",   "link",    "availability",
                "event",   "load", "collectives", "storage", "topology"};
  known.insert(known.begin(), values.begin(), values.end());
  Problems problems(origin, values);
  const Table root(file, "", known, problems);
  Target result = target(root, read);
  if (!problems.none()) return tl::unexpected(problems.failure());
  result.uncertainties = std::move(problems.uncertainties);
  return result;
}

}  // namespace

std::string medium_in_words(const model::Parameters& p) {
  switch (p.medium) {
    case model::Medium::network:
      return "a switch";
    case model::Medium::bus:
      return "a bus";
    case model::Medium::grid:
      return "a grid of " + std::to_string(p.columns) + " columns";
  }
  return "";
}

Result<Target> parse(const std::string& text, const std::string& origin) {
  return parse(Sources{text, {}}, origin);
}

Result<Target> parse(const Sources& sources, const std::string& origin) {
  return parse(sources.text, origin, [&](const std::string& name) -> Result<std::string> {
    const auto file = sources.files.find(name);
    if (file == sources.files.end()) return fail(name + ": no such file");
    return file->second;
  });
}

Result<Target> parse(const std::string& text, const std::string& origin, const ReadFile& read) {
  const char* content = " (expected TOML text with the keys name, [network] and [[node]])";
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    return fail(origin + ":1: the file is empty" + content);
  if (text.find('\0') != std::string::npos) return fail(origin + ": not a text file" + content);
  try {
    return checked(toml::parse(text, origin), origin, read);
  } catch (const toml::parse_error& error) {
    return fail(origin + ":" + std::to_string(error.source().begin.line) +
                ": invalid TOML: " + printable(std::string(error.description())));
  }
}

Result<void> fits(const Target& target, int ranks, const std::string& origin) {
  const int slots = target.slots();
  if (ranks < 1) return fail(counted(ranks, "rank") + ": a run needs at least 1");
  if (ranks <= slots) return {};
  const auto failure = [&](std::uint32_t line, const std::string& key, const std::string& limit,
                           const std::string& more) {
    return fail(origin + ":" + std::to_string(line) + ": " + key + ": " + std::to_string(ranks) +
                " ranks are more than the " + std::to_string(slots) + " " + limit + " (expected at most " +
                std::to_string(slots) + ", or " + more + ")");
  };
  if (target.placement.policy == Placement::Policy::list)
    return failure(target.placement.line, "placement.policy", "nodes that it lists", "a node for each rank");
  return failure(target.nodes_line, "node", "slots of the target", "a larger count or slots of a [[node]]");
}

}  // namespace emu::target
