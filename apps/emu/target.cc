// emu target FILE: what a target file describes, as a table. emu target --check: whether it is right.
#include "target/target.h"

#include <boost/program_options.hpp>
#include <charconv>
#include <cstdio>
#include <iostream>
#include <optional>
#include <sstream>

#include "base/units.h"
#include "log.h"
#include "places.h"
#include "verbs.h"

namespace emu::app {
namespace {

namespace po = boost::program_options;

const char usage[] =
    "Usage: emu target [OPTIONS] FILE...\n"
    "Shows what each target file describes: nodes, placement, links, and what a message takes one way. FILE "
    "is\n"
    "a path, or the name of a target that comes with libemu. Exit code: 0 good, 2 wrong use or a mistake in "
    "a "
    "file.\n\n";

struct Options {
  std::vector<std::string> files;
  std::optional<int> ranks;
  bool check = false;
  bool help = false;
};

po::options_description description() {
  po::options_description options("Options");
  options.add_options()(",n", po::value<std::string>()->value_name("N"),
                        "ranks of the job, which costs may depend on; all slots of the target if not given")(
      "check", "say only whether the files are right")("help,h", "show this help");
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
    result.check = values.count("check") > 0;
    if (values.count("file")) result.files = values["file"].as<std::vector<std::string>>();
    if (values.count("-n")) {
      const auto text = values["-n"].as<std::string>();
      int ranks = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ranks);
      if (error != std::errc() || end != text.data() + text.size() || ranks < 1)
        return fail("-n: \"" + text + "\" is no number of ranks; write a whole number from 1");
      result.ranks = ranks;
    }
  } catch (const po::error& error) {
    return fail(error.what());
  }
  if (result.files.empty() && !result.help) return fail("a target FILE is missing");
  return result;
}

// --- the table

using Row = std::vector<std::string>;

void print(const std::vector<Row>& rows) {
  std::vector<std::size_t> width;
  for (const Row& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i == width.size()) width.push_back(0);
      width[i] = std::max(width[i], row[i].size());
    }
  for (const Row& row : rows) {
    std::string line = " ";
    for (std::size_t i = 0; i < row.size(); ++i)
      line += " " + row[i] + std::string(i + 1 < row.size() ? width[i] - row[i].size() + 1 : 0, ' ');
    std::cout << line << "\n";
  }
}

std::string number(double value) {
  std::ostringstream text;
  text.precision(6);
  text << value;
  return text.str();
}

std::string group_name(const target::Target& t, int group) {
  const std::string& name = t.nodes[static_cast<std::size_t>(group)].name;
  return name.empty() ? "group " + std::to_string(group + 1) : name;
}

std::string range(int first, int last) {
  return first == last ? std::to_string(first) : std::to_string(first) + "-" + std::to_string(last);
}

// "2, 5-7" of the nodes in [first, last] whose speed changes; empty if there are none.
std::string changing(const target::Target& t, int first, int last) {
  std::string list;
  for (int node = first; node <= last; ++node) {
    if (!t.speeds.count(node)) continue;
    const int begin = node;
    while (node < last && t.speeds.count(node + 1)) ++node;
    list += (list.empty() ? "" : ", ") + range(begin, node);
  }
  return list;
}

void print_nodes(const target::Target& t) {
  std::vector<Row> rows = {{"nodes", "group", "slots each", "speed", "speed changes on"}};
  int first = 0;
  for (std::size_t g = 0; g < t.nodes.size(); ++g) {
    const target::NodeGroup& group = t.nodes[g];
    const int last = first + group.count - 1;
    const std::string changes = changing(t, first, last);
    rows.push_back({range(first, last), group_name(t, static_cast<int>(g)), std::to_string(group.slots),
                    number(group.speed), changes.empty() ? "-" : changes});
    first = last + 1;
  }
  print(rows);
}

std::string placement(const target::Target& t) {
  const char* const policies[] = {"block: node after node", "cyclic: one on each node in turn",
                                  "as the file lists them"};
  return policies[static_cast<int>(t.placement.policy)];
}

// Two ranks for each kind of link that the job has.
struct Pair {
  std::string name;
  int from, to;
};

std::vector<Pair> pairs(const target::Target& t, const model::Topology& topology) {
  std::vector<Pair> result;
  std::vector<model::Link> shown;
  const auto find = [&](bool same_node, int a, int b) -> std::optional<std::pair<int, int>> {
    const int ranks = static_cast<int>(topology.ranks.size());
    for (int i = 0; i < ranks; ++i) {
      const auto& from = topology.ranks[static_cast<std::size_t>(i)];
      if (from.group != a) continue;
      for (int j = 0; j < ranks; ++j) {
        const auto& to = topology.ranks[static_cast<std::size_t>(j)];
        if (i != j && to.group == b && (from.node == to.node) == same_node) return std::pair(i, j);
      }
    }
    return {};
  };
  const bool one_group = topology.groups == 1;
  for (int a = 0; a < topology.groups; ++a) {
    for (int b = 0; b < topology.groups; ++b) {
      const auto cell = [&](int x, int y) { return static_cast<std::size_t>(x * topology.groups + y); };
      if (b < a && topology.between[cell(a, b)] == topology.between[cell(b, a)]) continue;
      const auto found = find(false, a, b);
      const bool both = topology.between[cell(a, b)] == topology.between[cell(b, a)];
      const std::string name = one_group ? "between nodes"
                               : a == b  ? "within " + group_name(t, a)
                                         : group_name(t, a) + (both ? " - " : " to ") + group_name(t, b);
      if (found) result.push_back({name, found->first, found->second});
    }
    const auto found = find(true, a, a);
    const std::string name = one_group ? "inside a node" : "inside a node of " + group_name(t, a);
    if (found) result.push_back({name, found->first, found->second});
  }
  return result;
}

std::string bandwidth(model::Bytes bytes, Interval time) {
  if (time <= Interval()) return "-";
  double rate = static_cast<double>(bytes) / time.seconds();
  const char* const units[] = {" B/s", " kB/s", " MB/s", " GB/s", " TB/s"};
  int unit = 0;
  for (; unit < 4 && rate >= 1000; ++unit) rate /= 1000;
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", rate);
  return text + std::string(units[unit]);
}

void print_links(const target::Target& t, int ranks) {
  const model::Topology topology = t.topology(ranks);
  const model::Network network(t.network, topology);
  std::vector<Row> rows = {{"link", "message", "one way", "bandwidth"}};
  for (const Pair& pair : pairs(t, topology)) {
    std::string name = pair.name;
    for (const model::Bytes bytes : {1LL, 1024LL, 64LL * 1024, 1024LL * 1024, 16LL * 1024 * 1024}) {
      const Interval time = network.one_way(pair.from, pair.to, bytes);
      rows.push_back({name, format_bytes(bytes) + (network.eager(bytes) ? "" : " *"), format(time, 4),
                      bandwidth(bytes, time)});
      name.clear();
    }
  }
  if (rows.size() == 1) return;
  std::cout << "\n";
  print(rows);
  std::cout << "  one way: from the call of the send to the end of a receive that waits for it, for " << ranks
            << " ranks; *: with the handshake\n";
}

Result<void> show(const std::string& name, const Options& options) {
  const auto path = target_path(name);
  if (!path) return tl::unexpected(path.error());
  const auto t = target::load(*path);
  if (!t) return tl::unexpected(t.error());
  const int ranks = options.ranks.value_or(t->slots());
  if (const auto fitting = target::fits(*t, ranks, *path); !fitting) return fitting;
  if (options.check) {
    std::cout << path->string() << ": good: \"" << t->name << "\", " << t->node_count() << " nodes, up to "
              << t->slots() << " ranks\n";
    return {};
  }
  std::cout << t->name << "\n"
            << "  " << path->string() << "\n"
            << "  compute: " << (t->compute == target::Compute::measured ? "measured" : "declared")
            << "; ranks: up to " << t->slots() << ", " << placement(*t) << "\n\n";
  print_nodes(*t);
  print_links(*t, ranks);
  return {};
}

}  // namespace

int target(const std::vector<std::string>& args) {
  const auto options = parse_options(args);
  if (!options) {
    print_error(options.error().message);
    std::fputs("See emu target --help.\n", stderr);
    return 2;
  }
  if (options->help) {
    std::cout << usage << description();
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
