// emu target FILE: contents of a target file, as a table. emu target --check: checks it.
#include "target/target.h"

#include <algorithm>
#include <boost/program_options.hpp>
#include <cstdio>
#include <iostream>
#include <map>
#include <optional>

#include "base/number.h"
#include "base/units.h"
#include "common/command_line.h"
#include "common/installation.h"
#include "common/log.h"
#include "common/output.h"
#include "target/draw_topology.h"
#include "target/power.h"
#include "target/print_events.h"
#include "target/print_table.h"
#include "target/print_topology.h"
#include "target/print_values.h"
#include "verbs.h"

namespace emu::app::targets {
namespace {

namespace po = boost::program_options;

const char usage[] =
    "Usage: emu target [OPTIONS] FILE...\n"
    "       emu target --list\n"
    "Shows what each target file describes: nodes, placement, links, what changes when, and what a message\n"
    "takes one way. FILE is a path, or the name of a target that comes with libemu. Values that are\n"
    "valid but improbable, such as the failure of all nodes, cause a warning. Exit code: 0 good, 2 wrong\n"
    "use or a mistake in a file.\n\n";

struct Options {
  std::vector<std::string> files;
  std::optional<int> ranks;
  std::string route;  // two nodes; empty: none
  std::string draw;   // file of the picture of the topology; empty: none
  std::string json;   // output file for tools; empty: none
  bool check = false;
  bool list = false;
  bool help = false;
};

po::options_description description() {
  po::options_description options("Options");
  options.add_options()(",n", po::value<std::string>()->value_name("N"),
                        "ranks of the job, which costs may depend on; all slots of the target if not given")(
      "json", po::value<std::string>()->value_name("FILE"),
      "write the values of the target, with their intervals, to FILE; - for standard output, in place of the "
      "table")("route", po::value<std::string>()->value_name("FROM,TO"),
               "show the links of the target's topology from one node to another")(
      "draw", po::value<std::string>()->value_name("FILE.svg"),
      "draw the target's topology; - for standard output, in place of the table")(
      "check", "check the files only")("list", "list the targets that come with libemu")("help,h",
                                                                                         "show this help");
  return options;
}

Result<Options> parse_options(const std::vector<std::string>& args) {
  po::options_description all = description();
  all.add_options()("file", po::value<std::vector<std::string>>());
  po::positional_options_description positional;
  positional.add("file", -1);
  Options result;
  try {
    po::variables_map values;
    constexpr int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    po::store(po::command_line_parser(args).options(all).positional(positional).style(style).run(), values);
    result.help = values.count("help") > 0;
    if (const auto named = names_files(values, {"json", "draw"}); !named)
      return tl::unexpected(named.error());
    if (values.count("json")) result.json = values["json"].as<std::string>();
    if (values.count("route")) result.route = values["route"].as<std::string>();
    if (values.count("route") && result.route.empty())
      return fail("--route: the nodes are missing (expected FROM,TO)");
    if (values.count("draw")) result.draw = values["draw"].as<std::string>();
    result.check = values.count("check") > 0;
    result.list = values.count("list") > 0;
    if (values.count("file")) result.files = values["file"].as<std::vector<std::string>>();
    if (values.count("-n")) {
      const auto text = values["-n"].as<std::string>();
      result.ranks = read_number<int>(text, 1);
      if (!result.ranks) return fail("-n: invalid number of ranks: " + shown(text) + " (expected 1 or more)");
    }
  } catch (const po::error& error) {
    return fail(error.what());
  }
  if (result.list && !result.files.empty()) return fail("--list is for all targets, not for a FILE");
  if (result.files.empty() && !result.help && !result.list) return fail("a target FILE is missing");
  for (const auto& [option, value] : {std::pair("--json", result.json), std::pair("--route", result.route),
                                      std::pair("--draw", result.draw)})
    if (!value.empty() && (result.files.size() > 1 || result.check))
      return fail(std::string(option) + " is for one target, and not for --check");
  return result;
}

// --- the table

// The nodes in [first, last] with a changing speed; "-" if there are none.
std::string changing(const target::Target& t, int first, int last) {
  std::vector<int> nodes;
  for (auto it = t.speeds.lower_bound(first); it != t.speeds.end() && it->first <= last; ++it)
    nodes.push_back(it->first);
  return nodes.empty() ? "-" : ranges(nodes);
}

// `power` of each group, if the file has it for some groups.
void print_nodes(const target::Target& t, const std::vector<std::optional<target::Power>>& power) {
  std::vector<Row> rows = {{"nodes", "group", "slots each", "speed", "speed changes on"}};
  const bool watts =
      std::any_of(power.begin(), power.end(), [](const auto& group) { return group.has_value(); });
  if (watts) rows.front().push_back("watts, idle and busy");
  int first = 0;
  for (std::size_t g = 0; g < t.nodes.size(); ++g) {
    const target::NodeGroup& group = t.nodes[g];
    const int last = first + group.count - 1;
    rows.push_back({range(first, last), group_name(t, static_cast<int>(g)), std::to_string(group.slots),
                    number(group.speed), changing(t, first, last)});
    if (watts)
      rows.back().push_back(power[g] ? number(power[g]->idle) + ", " + number(power[g]->busy) : "not known");
    first = last + 1;
  }
  print(rows);
}

std::string placement(const target::Target& t) {
  const char* const policies[] = {"block: node after node", "cyclic: one on each node in turn",
                                  "as the file lists them"};
  return policies[static_cast<int>(t.placement.policy)];
}

// "bcast linear up to 1 KiB, then as MPICH"
std::string algorithms(const target::Target& t) {
  const char* const libraries[] = {"", "as Open MPI", "as Open MPI 4.1"};
  std::string text = libraries[static_cast<int>(t.algorithms.library)];
  for (const model::NamedCollective& operation : model::named_collectives()) {
    const auto& choices = t.algorithms.choices(operation.operation);
    for (std::size_t i = 0; i < choices.size(); ++i) {
      text += i > 0 ? ", " : text.empty() ? "" : "; ";
      if (i == 0) text += std::string(operation.name) + " ";
      for (const model::NamedAlgorithm& a : operation.algorithms)
        if (a.algorithm == choices[i].algorithm.algorithm) text += a.name;
      if (choices[i].algorithm.segment == model::AlgorithmChoice::whole)
        text += " in whole";
      else if (choices[i].algorithm.segment > 0)
        text += " in " + format_bytes(choices[i].algorithm.segment);
      if (choices[i].up_to != model::Algorithms::Choice().up_to)
        text += " up to " + format_bytes(choices[i].up_to);
    }
  }
  return text;
}

std::string bandwidth(model::Bytes bytes, Interval time) {
  return time <= Interval() ? "-" : in_bytes_per_second(static_cast<double>(bytes) / time.seconds());
}

std::string cards(const model::Parameters& n) {
  const model::NodeParameters& shared = n.nodes;
  if (n.card == model::Card::serial) return "cards carry one message at a time";
  if (!shared.cards && !shared.memory) return "cards carry any number of messages at once";
  constexpr model::Bytes megabyte = 1'000'000;
  const auto rate = [](Rate gap) { return bandwidth(megabyte, gap.times(megabyte)); };
  std::string text;
  if (shared.cards) {
    constexpr const char* duplex[] = {" in each direction", " for both directions together",
                                      " in each direction, "};
    text = "ranks of a node share " +
           (shared.rails == 1 ? "a card" : std::to_string(shared.rails) + " cards") + " of " +
           rate(shared.card) + duplex[static_cast<int>(shared.duplex)];
    if (shared.duplex == model::NodeParameters::Duplex::joint)
      text += rate(shared.both_directions) + " together";
  }
  if (shared.memory)
    text +=
        (text.empty() ? "ranks of a node share " : ", and ") + ("memory of " + rate(shared.memory_per_byte));
  return text + (shared.share == model::Share::fair ? ", fairly" : ", in the order of their heads");
}

std::string network(const target::Target& t) {
  const model::Parameters& n = t.network;
  std::string text = target::medium_in_words(n) + ", " + cards(n);
  if (n.put_limit > 0) text += ", receivers read messages above " + format_bytes(n.put_limit);
  if (n.handshake_trips > 2) text += ", handshakes take " + std::to_string(n.handshake_trips) + " trips";
  return text;
}

std::string storage(const model::Storage& s) {
  constexpr model::Bytes megabyte = 1'000'000;
  return "latency " + format(s.latency, 4) + ", " + bandwidth(megabyte, s.per_byte.times(megabyte)) +
         (s.shared ? " for all ranks together" : " for each rank") +
         (s.given ? "" : " (default: the file has no [storage])");
}

// --- costs of messages

// Two ranks for each kind of link in the job.
struct Pair {
  std::string name;
  int from, to;
};

// The ranks of a job on the nodes of one group.
struct Members {
  std::map<int, std::vector<int>> by_node;

  std::optional<std::pair<int, int>> on_one_node() const {
    for (const auto& [node, ranks] : by_node)
      if (ranks.size() > 1) return std::pair(ranks[0], ranks[1]);
    return {};
  }
  std::optional<std::pair<int, int>> on_two(const Members& other) const {
    if (by_node.empty() || other.by_node.empty()) return {};
    const int from = by_node.begin()->second.front();
    if (&other != this) return std::pair(from, other.by_node.begin()->second.front());
    if (by_node.size() < 2) return {};
    return std::pair(from, std::next(by_node.begin())->second.front());
  }
};

std::vector<Pair> pairs(const target::Target& t, const model::Topology& topology) {
  std::vector<Members> members(t.nodes.size());
  for (std::size_t rank = 0; rank < topology.ranks.size(); ++rank) {
    const model::Topology::Place& place = topology.ranks[rank];
    members[static_cast<std::size_t>(place.group)].by_node[place.node].push_back(static_cast<int>(rank));
  }
  std::vector<Pair> result;
  const auto between = [&](int a, int b) -> const model::Link& {
    return topology.between[static_cast<std::size_t>(a * topology.groups + b)];
  };
  for (int a = 0; a < topology.groups; ++a) {
    const Members& here = members[static_cast<std::size_t>(a)];
    for (int b = 0; b < topology.groups; ++b) {
      const bool both = between(a, b) == between(b, a);
      if (b < a && both) continue;
      if (const auto found = here.on_two(members[static_cast<std::size_t>(b)]))
        result.push_back({link_name(t, a, b, both), found->first, found->second});
    }
    const std::string name = topology.groups == 1 ? "inside a node" : "inside a node of " + group_name(t, a);
    if (const auto found = here.on_one_node()) result.push_back({name, found->first, found->second});
  }
  return result;
}

void print_links(const target::Target& t, int ranks) {
  const model::Topology topology = t.topology(ranks);
  const model::Network network(t.network, topology);
  const auto node = [&](int rank) { return topology.ranks[static_cast<std::size_t>(rank)].node; };
  std::vector<Row> rows = {{"link", "message", "one way", "bandwidth"}};
  for (const Pair& pair : pairs(t, topology)) {
    std::string name = pair.name;
    // A message between other ranks of these groups may have more or fewer hops.
    if (const int hops = network.route(pair.from, pair.to, 1, Instant()).hops;
        network.pays_hops() && node(pair.from) != node(pair.to))
      name += hops == 1 ? ", 1 hop" : ", " + std::to_string(hops) + " hops";
    for (const model::Bytes bytes : {1LL, 1024LL, 64LL * 1024, 1024LL * 1024, 16LL * 1024 * 1024}) {
      const Interval time = network.one_way(pair.from, pair.to, bytes);
      const char* const handshake = network.eager(pair.from, pair.to, bytes)  ? ""
                                    : network.gets(pair.from, pair.to, bytes) ? " * get"
                                                                              : " *";
      const char* const whole = network.sends_whole(pair.from, pair.to) ? " sent" : "";
      rows.push_back(
          {name, format_bytes(bytes) + handshake + whole, format(time, 4), bandwidth(bytes, time)});
      name.clear();
    }
  }
  if (rows.size() == 1) return;
  std::cout << "\n";
  print(rows);
  std::cout << "  one way: from the call of the send to the end of a receive that waits for it, for " << ranks
            << " ranks; *: with the handshake"
            << (network.any_gets() ? "; get: the receiver reads the data" : "")
            << (network.any_sends_whole() ? "; sent: a send lasts until its last byte has left" : "") << "\n";
}

Result<void> show(const std::string& name, const Options& options) {
  const auto path = target_path(name);
  if (!path) return tl::unexpected(path.error());
  target::Sources sources;
  const auto t = target::load(*path, &sources);
  if (!t) return tl::unexpected(t.error());
  const int ranks = options.ranks.value_or(t->slots());
  if (const auto fitting = target::fits(*t, ranks, *path); !fitting) return fitting;
  warn_of_ends(*t, ranks, path->string());
  if (options.check) {
    std::cout << path->string() << ": good: \"" << t->name << "\", " << t->node_count() << " nodes, up to "
              << t->slots() << " ranks\n";
    return {};
  }
  if (const auto good =
          can_write({{"--json", options.json}, {"--draw", options.draw}}, {{"the target", *path}});
      !good)
    return good;
  if (!options.json.empty())
    if (const auto written = write_text(to_json(*t, *path, ranks), options.json);
        !written || options.json == "-")
      return written;
  std::optional<NodePair> pair;
  if (!options.route.empty()) {
    const auto read = read_pair(*t, options.route);
    if (!read) return tl::unexpected(read.error());
    pair = *read;
  }
  if (!options.draw.empty()) {
    if (!t->interconnect)
      return fail("--draw: the target has no topology (expected a table [topology] in " + path->string() +
                  ")");
    if (const auto written = write_text(draw_topology(*t->interconnect, t->name), options.draw);
        !written || options.draw == "-")
      return written;
  }
  std::cout << t->name << "\n"
            << "  " << path->string() << "\n"
            << "  compute: " << (t->compute == target::Compute::measured ? "measured" : "declared")
            << "; ranks: up to " << t->slots() << ", " << placement(*t) << "\n"
            << "  network: " << network(*t) << "\n";
  if (t->algorithms.any()) std::cout << "  collectives: " << algorithms(*t) << "\n";
  std::cout << "  storage: " << storage(t->storage) << "\n\n";
  print_nodes(*t, target::powers(sources.text));
  print_values(*t);
  print_events(*t);
  print_links(*t, ranks);
  print_topology(*t);
  if (pair) print_route(*t, *pair);
  return {};
}

void list_targets() {
  std::vector<Row> rows = {{"target", "slots", "what"}};
  for (const std::filesystem::path& file : target_files()) {
    const auto t = target::load(file);
    rows.push_back({file.stem(), t ? std::to_string(t->slots()) : "-", t ? t->name : "not readable"});
  }
  print(rows);
}

}  // namespace
}  // namespace emu::app::targets

namespace emu::app {

int target(const std::vector<std::string>& args) {
  using namespace targets;
  const auto options = parse_options(args);
  const auto help = [] { return (std::ostringstream() << usage << description()).str(); };
  if (const auto code = ended_by_options("target", options, help)) return *code;
  if (options->list) {
    list_targets();
    return 0;
  }
  int code = 0;
  for (std::size_t i = 0; i < options->files.size(); ++i) {
    if (i > 0 && !options->check) std::cout << "\n";
    if (const auto shown = show(options->files[i], *options); !shown) {
      print_error(shown.error().message);
      code = 2;
    }
  }
  return code;
}

}  // namespace emu::app
