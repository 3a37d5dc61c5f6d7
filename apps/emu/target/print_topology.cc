#include "target/print_topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <optional>

#include "base/number.h"
#include "base/units.h"
#include "model/topologies/dragonfly.h"
#include "model/topologies/fat_tree.h"
#include "model/topologies/links.h"
#include "model/topologies/star.h"
#include "model/topologies/torus.h"
#include "target/print_table.h"

namespace emu::app {
namespace {

struct Facts {
  std::string kind;
  std::optional<double> bisection;  // bytes per second
};

template <class Kind>
bool is(const model::Interconnect& net, Facts& facts, const std::string& name) {
  const auto* const kind = dynamic_cast<const Kind*>(&net);
  if (!kind) return false;
  facts = {name, kind->bisection()};
  return true;
}

Facts facts_of(const model::Interconnect& net) {
  Facts facts{"links", std::nullopt};
  if (is<model::FatTree>(net, facts, "fat-tree") || is<model::Torus>(net, facts, "torus") ||
      is<model::Dragonfly>(net, facts, "dragonfly"))
    return facts;
  is<model::Star>(net, facts, "star");
  return facts;
}

// The routes between the target's nodes; on a target with very many nodes, only the routes from some of them.
struct Routes {
  std::size_t least = 0, most = 0;
  double mean = 0;
  Interval nearest, farthest;
  bool all = true;
};

Routes routes(const model::Interconnect& net, int nodes) {
  constexpr std::int64_t most_pairs = 4'000'000;
  const std::int64_t pairs = std::int64_t{nodes} * nodes;
  const int step = static_cast<int>((pairs + most_pairs - 1) / most_pairs);
  Routes result;
  result.all = step <= 1;
  std::int64_t hops = 0, count = 0;
  std::vector<std::int32_t> links;
  for (int from = 0; from < nodes; from += std::max(step, 1))
    for (int to = 0; to < nodes; ++to) {
      if (from == to) continue;
      links.clear();
      net.route(from, to, links);
      const Interval latency = net.latency(from, to);
      result.least = count == 0 ? links.size() : std::min(result.least, links.size());
      result.most = std::max(result.most, links.size());
      result.nearest = count == 0 ? latency : std::min(result.nearest, latency);
      result.farthest = std::max(result.farthest, latency);
      hops += static_cast<std::int64_t>(links.size());
      ++count;
    }
  result.mean = count == 0 ? 0 : static_cast<double>(hops) / static_cast<double>(count);
  return result;
}

double bytes_per_second(Rate gap_per_byte) {
  return 1e15 / static_cast<double>(gap_per_byte.femtoseconds_per_byte());
}

}  // namespace

void print_topology(const target::Target& t) {
  if (!t.interconnect) return;
  const model::Interconnect& net = *t.interconnect;
  const Facts facts = facts_of(net);
  const Routes r = routes(net, t.node_count());
  std::cout << "\n";
  print({{"topology", "places", "links", "hops", "on average", "latency", "bisection bandwidth", "share"},
         {facts.kind, std::to_string(net.nodes()), std::to_string(net.links()),
          r.least == r.most ? std::to_string(r.most) : fmt::format("{} to {}", r.least, r.most),
          fmt::format("{}{:.4g}", r.all ? "" : "~", r.mean),
          r.nearest == r.farthest ? format(r.farthest, 4)
                                  : format(r.nearest, 4) + " to " + format(r.farthest, 4),
          facts.bisection ? in_bytes_per_second(*facts.bisection) : "-",
          t.network.nodes.share == model::Share::fair ? "fair" : "fifo"}});
  std::cout << "  hops: links of a route between two of the target's nodes; latency: of these links, on top "
               "of L; bisection\n"
               "  bandwidth: of the links from one half of all places to the other\n";
}

Result<NodePair> read_pair(const target::Target& t, const std::string& pair) {
  if (!t.interconnect)
    return fail("--route: the target has no topology (expected a table [topology] in the file)");
  const std::size_t comma = pair.find(',');
  const auto from = read_number<int>(pair.substr(0, comma), 0);
  const auto to = comma == std::string::npos ? std::nullopt : read_number<int>(pair.substr(comma + 1), 0);
  if (from && to && *from != *to && std::max(*from, *to) < t.node_count()) return NodePair{*from, *to};
  return fail(fmt::format("invalid pair of nodes for --route: \"{}\" (expected two of 0 to {}, such as 0,1)",
                          pair, t.node_count() - 1));
}

void print_route(const target::Target& t, NodePair pair) {
  const model::Interconnect& net = *t.interconnect;
  std::vector<std::int32_t> links;
  net.route(pair.from, pair.to, links);
  const auto rate = [&](std::int32_t link) {
    return in_bytes_per_second(bytes_per_second(net.gap_per_byte(link)));
  };
  std::cout << "\nroute from node " << pair.from << " to node " << pair.to << ": "
            << counted(static_cast<std::int64_t>(links.size()), "link") << ", latency "
            << format(net.latency(pair.from, pair.to), 4);
  if (!links.empty()) {
    const auto slowest = *std::max_element(links.begin(), links.end(), [&](std::int32_t a, std::int32_t b) {
      return net.gap_per_byte(a) < net.gap_per_byte(b);
    });
    std::cout << ", bottleneck " << net.name(slowest) << " with " << rate(slowest);
  }
  std::cout << "\n";
  std::vector<Row> rows = {{"link", "bandwidth"}};
  for (const std::int32_t link : links) rows.push_back({net.name(link), rate(link)});
  print(rows);
}

}  // namespace emu::app
