#include "model/network.h"

#include <map>

namespace emu::model {

namespace {

constexpr Interval least = Interval::picoseconds(1);

// Of a job's ranks on one group of nodes.
struct Members {
  int nodes = 0;
  bool shared = false;  // two of them are on one node
};

std::vector<Members> members(const Topology& t) {
  std::vector<Members> result(static_cast<std::size_t>(t.groups));
  std::map<int, int> ranks;  // per node
  for (const Topology::Place& place : t.ranks) {
    Members& group = result[static_cast<std::size_t>(place.group)];
    const int before = ranks[place.node]++;
    if (before == 0) ++group.nodes;
    if (before == 1) group.shared = true;
  }
  return result;
}

}  // namespace

Topology Topology::uniform(const Parameters& p, int ranks) {
  Topology t;
  for (int rank = 0; rank < ranks; ++rank) t.ranks.push_back({rank, 0});
  t.between = t.inside = {Link{p.latency, p.gap_per_byte, p.send, p.receive}};
  return t;
}

Network::Network(const Parameters& parameters, const Topology& topology)
    : p_(parameters), processes_(static_cast<int>(topology.ranks.size())), links_(topology.between) {
  links_.insert(links_.end(), topology.inside.begin(), topology.inside.end());
  const int inside = static_cast<int>(topology.between.size());
  for (const Topology::Place& place : topology.ranks)
    places_.push_back({place.node, place.group * topology.groups, place.group, inside + place.group});
  for (Link& link : links_)
    if (link.latency + link.send.of(1, processes_) < least) link.latency = least;
  find_least(topology);
}

Interval Network::one_way(int from, int to, Bytes k) const {
  Interval time;
  if (!eager(k))  // request, answer, and what the sender pays for that
    time = control_send(from, to) + latency(from, to) + control_receive(from, to) + control_send(to, from) +
           latency(to, from) + control_receive(to, from);
  // With serial cards the message passes two of them, its bytes through both at once.
  return time + send_overhead(from, to, k) + latency(from, to) + occupancy(from, to, k) +
         receive_overhead(from, to, k);
}

void Network::find_least(const Topology& topology) {
  const Interval none = Interval::picoseconds(Instant::never().picoseconds() / 4);
  lookahead_ = least_receive_ = none;
  const auto receive = [&](const Link& link) {
    least_receive_ = std::min(least_receive_, link.receive.of(1, processes_));
  };
  const auto both = [&](const Link& link) {
    receive(link);
    lookahead_ = std::min(lookahead_, link.send.of(1, processes_) + link.latency);
  };
  const std::vector<Members> groups = members(topology);
  for (std::size_t a = 0; a < groups.size(); ++a) {
    if (groups[a].nodes == 0) continue;
    const Link& inside = links_[topology.between.size() + a];
    receive(inside);  // of a message to oneself
    if (groups[a].shared) both(inside);
    for (std::size_t b = 0; b < groups.size(); ++b)
      if (groups[b].nodes > (a == b ? 1 : 0)) both(links_[a * groups.size() + b]);
  }
}

}  // namespace emu::model
