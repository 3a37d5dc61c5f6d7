#include "reference/cluster/cluster.h"

#include <algorithm>
#include <limits>

#include "reference/cluster/media.h"

namespace emu::reference {

Costs::Costs(const Cluster& cluster, int ranks) : cluster_(cluster), ranks_(ranks) {
  std::vector<int> free_slots;  // of each node
  for (const Cluster::Group& group : cluster.groups)
    for (int i = 0; i < group.nodes; ++i) free_slots.push_back(group.slots);
  std::size_t node = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    if (cluster.policy == Cluster::Policy::list) {
      nodes_.push_back(cluster.list[static_cast<std::size_t>(rank)]);
      continue;
    }
    while (free_slots[node] == 0) node = (node + 1) % free_slots.size();
    nodes_.push_back(static_cast<int>(node));
    --free_slots[node];
    if (cluster.policy == Cluster::Policy::cyclic) node = (node + 1) % free_slots.size();
  }
  for (int rank = 0; rank < ranks; ++rank)
    for (int by = 0; by < ranks; ++by) known_.push_back(find_known(rank, by));
}

int Costs::group_of(int rank) const {
  int end = 0;
  for (std::size_t g = 0; g < cluster_.groups.size(); ++g) {
    end += cluster_.groups[g].nodes;
    if (node_of(rank) < end) return static_cast<int>(g);
  }
  return -1;
}

const Cluster::Link* Costs::stated(int from, int to) const {
  const int a = group_of(from), b = group_of(to);
  const bool same_node = node_of(from) == node_of(to);
  const Cluster::Link* back = nullptr;
  const Cluster::Link* there = nullptr;
  for (const Cluster::Link& link : cluster_.links) {
    if (link.inside) {
      if (same_node && link.from == a) return &link;
      continue;
    }
    if (link.from == a && link.to == b) there = &link;
    if (link.from == b && link.to == a) back = &link;
  }
  return there ? there : back;
}

bool Costs::eager(model::Bytes k) const {
  return cluster_.network.always_eager || (k < 1 ? 1 : k) <= cluster_.network.eager_limit;
}

bool Costs::gets(int from, int to, model::Bytes k) const {
  const Cluster::Link* link = stated(from, to);
  const model::Bytes limit = link && link->put_limit ? *link->put_limit : cluster_.network.put_limit;
  return (link && link->rendezvous ? *link->rendezvous : cluster_.network.rendezvous) ==
             model::Rendezvous::get &&
         (k < 1 ? 1 : k) > limit;
}

bool Costs::sends_whole(int from, int to) const {
  const Cluster::Link* link = stated(from, to);
  return (link && link->send_returns ? *link->send_returns : cluster_.network.send_returns) ==
         model::SendReturns::sent;
}

Interval Costs::first_byte(int from, int to, model::Bytes k) const {
  return values(from, to, k).send.of(1, ranks_);
}

model::Piece Costs::values(int from, int to, model::Bytes k) const {
  const Cluster::Link* link = stated(from, to);
  const model::Parameters& n = cluster_.network;
  for (const model::Piece& piece : link ? link->pieces : n.pieces)
    if ((k < 1 ? 1 : k) <= piece.up_to) return piece;
  return link ? model::Piece{0, link->latency, link->gap_per_byte, link->send, link->receive}
              : model::Piece{0, n.latency, n.gap_per_byte, n.send, n.receive};
}

Interval Costs::send_overhead(int from, int to, model::Bytes k) const {
  return values(from, to, k).send.of(k < 1 ? 1 : k, ranks_);
}

Interval Costs::receive_overhead(int from, int to, model::Bytes k) const {
  return values(from, to, k).receive.of(k < 1 ? 1 : k, ranks_);
}

const Cluster::LinkEvent* Costs::event(int from, int to, Instant at) const {
  const int a = group_of(from), b = group_of(to);
  if (node_of(from) == node_of(to)) {
    // The pair's link inside the node, or the link between nodes of its group, without events.
    return nullptr;
  }
  for (const Cluster::LinkEvent& e : cluster_.link_events) {
    const bool there = (e.a == a && e.b == b) || (e.a == b && e.b == a);
    if (there && at >= Instant::start() + e.at && at < Instant::start() + e.until) return &e;
  }
  return nullptr;
}

Interval Costs::latency(int from, int to, model::Bytes k, Instant at) const {
  const model::Piece piece = values(from, to, k);
  const std::int64_t send = piece.send.of(1, ranks_).picoseconds();
  std::int64_t latency = piece.latency.picoseconds();
  if (latency + send == 0) latency = 1;
  if (const Cluster::LinkEvent* e = event(from, to, at)) {
    latency = (latency * e->latency + 500) / 1000;
    if (latency + send == 0) latency = 1;
  }
  latency *= hops(cluster_.network, node_of(from), node_of(to));
  const Interval through =
      node_of(from) == node_of(to) ? Interval() : walk(cluster_.wiring, node_of(from), node_of(to)).latency;
  return Interval::picoseconds(latency) + through;
}

Interval Costs::occupancy(int from, int to, model::Bytes on_wire, Instant at) const {
  return gap_per_byte(from, to, on_wire, at).times(on_wire - 1);
}

Rate Costs::gap_per_byte(int from, int to, model::Bytes on_wire, Instant at) const {
  std::int64_t gap = values(from, to, on_wire).gap_per_byte.femtoseconds_per_byte();
  if (const Cluster::LinkEvent* e = event(from, to, at)) gap = (gap * 1000 + e->bandwidth / 2) / e->bandwidth;
  return Rate::femtoseconds_per_byte(gap);
}

// The place of the rank on its node, where lower ranks come first.
int Costs::place_on_node(int rank) const {
  int place = 0;
  for (int other = 0; other < rank; ++other) place += node_of(other) == node_of(rank);
  return place;
}

std::vector<Passed> Costs::passes(int from, int to) const {
  const model::NodeParameters& n = cluster_.network.nodes;
  const int a = node_of(from), b = node_of(to);
  if (a == b)
    return n.memory ? std::vector<Passed>{{{0, a, 0, 0}, n.memory_per_byte}} : std::vector<Passed>{};
  std::vector<Passed> result;
  const auto pass_card = [&](bool out) {
    if (!n.cards) return;
    const int rank = out ? from : to, rail = place_on_node(rank) % n.rails;
    const int node = node_of(rank);
    if (n.duplex == model::NodeParameters::Duplex::half)
      result.push_back({{1, node, rail, 0}, n.card});
    else
      result.push_back({{1, node, rail, out ? 0 : 1}, n.card});
    if (n.duplex == model::NodeParameters::Duplex::joint)
      result.push_back({{1, node, rail, 2}, n.both_directions});
  };
  pass_card(true);
  for (const Passed& link : walk(cluster_.wiring, a, b).links) result.push_back(link);
  pass_card(false);
  return result;
}

bool Costs::bus(int from, int to) const {
  if (cluster_.network.medium != model::Medium::bus) return false;
  const Cluster::Link* link = stated(from, to);
  return !link || !link->inside;
}

bool Costs::serial_card(int from, int to) const {
  if (cluster_.network.card != model::Card::serial) return false;
  const Cluster::Link* link = stated(from, to);
  return !link || !link->inside;
}

Interval Costs::poll(Interval polling) const {
  const auto grown = static_cast<std::int64_t>(static_cast<__int128>(polling.picoseconds()) *
                                               cluster_.network.poll_growth / 1'000'000'000);
  return Interval::picoseconds(std::max<std::int64_t>({1, cluster_.network.poll.picoseconds(), grown}));
}

Interval Costs::temporary(const Room& room) const {
  const bool costly = room.largest >= cluster_.network.temporary_from;
  return costly ? cluster_.network.temporary_per_byte.times(room.bytes) : Interval();
}

namespace {

// Speeds in billionths, rounded after each factor.
std::int64_t times(std::int64_t a, std::int64_t b) {
  const long double exact = static_cast<long double>(a) * static_cast<long double>(b);
  const auto rounded = static_cast<std::int64_t>(
      (static_cast<__uint128_t>(a) * static_cast<__uint128_t>(b) + 500'000'000) / 1'000'000'000);
  return exact > 0 && rounded == 0 ? 1 : rounded;
}

// Writes out the profile's steps, round after round, until they are past `at`.
std::int64_t profile_speed(const Cluster::Profile& p, Instant at, Instant& until) {
  const auto loops = p.loop_after.picoseconds() > 0;
  const Interval round = p.steps.back().first - p.steps.front().first + p.loop_after;
  std::int64_t speed = 1000;
  Interval begin;
  if (loops && at - Instant::start() > p.steps.front().first)
    begin = round * ((at - Instant::start() - p.steps.front().first).picoseconds() / round.picoseconds());
  for (;; begin += round) {
    for (const auto& [time, factor] : p.steps) {
      const Instant step = Instant::start() + begin + time;
      if (step > at) {
        until = std::min(until, step);
        return speed;
      }
      speed = factor;
    }
    if (!loops) return speed;
  }
}

// Random numbers as the target's description defines them.
std::uint64_t scramble(std::uint64_t x) {
  x ^= x >> 30;
  x *= 13787848793156543929u;
  x ^= x >> 27;
  x *= 10723151780598845931u;
  x ^= x >> 31;
  return x;
}

std::int64_t load_speed(const Cluster::Load& load, int node, Instant at, Instant& until) {
  std::uint64_t number = 0;  // of the period
  Instant end = Instant::start() + load.period;
  if (at >= end) {
    number = static_cast<std::uint64_t>(at.picoseconds() / load.period.picoseconds());
    end = Instant::start() + load.period * static_cast<std::int64_t>(number + 1);
  }
  until = std::min(until, end);
  std::uint64_t state = scramble(load.seed + scramble(static_cast<std::uint64_t>(node) + 1));
  state += (number + 1) * 11400714819323198485u;
  const std::uint64_t random = scramble(state) / 4294967296u;
  const auto millionths =
      static_cast<std::int64_t>(static_cast<__uint128_t>(load.mean * 2000) * random / 4294967296u);
  const std::int64_t left = 1'000'000'000'000'000 / (1'000'000 + millionths);
  return left == 0 ? 1 : left;
}

}  // namespace

std::int64_t Costs::speed(int rank, Instant at, Instant& until) const {
  const int node = node_of(rank);
  until = Instant::never();
  std::int64_t speed =
      cluster_.groups[static_cast<std::size_t>(group_of(rank))].speed * (1'000'000 + cluster_.faster);
  if (const auto& with = cluster_.groups[static_cast<std::size_t>(group_of(rank))].with; !with.empty()) {
    const auto here = std::count(nodes_.begin(), nodes_.end(), node);
    speed = times(speed, with[static_cast<std::size_t>(here) - 1] * 1'000'000);
  }
  for (const Cluster::Profile& p : cluster_.profiles)
    if (p.node == node) speed = times(speed, profile_speed(p, at, until) * 1'000'000);
  for (const Cluster::Event& e : cluster_.events) {
    const Instant from = Instant::start() + e.at, to = Instant::start() + e.until;
    if (e.node != node) continue;
    if (at >= from && at < to) speed = times(speed, e.speed * 1'000'000);
    if (from > at) until = std::min(until, from);
    if (to > at) until = std::min(until, to);
  }
  Instant up;
  if (down(rank, at, up)) {
    speed = 0;
    until = std::min(until, up);
  }
  for (const Cluster::Outage& o : cluster_.outages)
    if (o.node == node && Instant::start() + o.at > at) until = std::min(until, Instant::start() + o.at);
  for (const Cluster::Load& load : cluster_.loads)
    if (node >= load.first && node <= load.last) speed = times(speed, load_speed(load, node, at, until));
  return speed;
}

Instant Costs::after(int rank, Interval time, Instant start) const {
  std::vector<Cluster::Outage> mine;
  for (const Cluster::Outage& o : cluster_.outages)
    if (o.node == node_of(rank)) mine.push_back(o);
  std::sort(mine.begin(), mine.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
  Instant now = start;
  for (const Cluster::Outage& o : mine) {
    const Instant from = Instant::start() + o.at, until = Instant::start() + o.until;
    const bool for_good = o.until == Interval();
    if (!for_good && until <= now) continue;
    if (now + time < from) break;
    if (for_good) return Instant::never();
    if (from > now) time -= from - now;
    now = until;
  }
  return now + time;
}

bool Costs::down(int rank, Instant at, Instant& until) const {
  for (const Cluster::Outage& o : cluster_.outages) {
    if (o.node != node_of(rank) || at < Instant::start() + o.at) continue;
    until = o.until == Interval() ? Instant::never() : Instant::start() + o.until;
    if (at < until) return true;
  }
  return false;
}

Interval Costs::down_within(int rank, Instant from, Instant until) const {
  Interval sum;
  for (const Cluster::Outage& o : cluster_.outages) {
    if (o.node != node_of(rank)) continue;
    const Instant end = o.until == Interval() ? Instant::never() : Instant::start() + o.until;
    const Instant a = std::max(from, Instant::start() + o.at), b = std::min(until, end);
    if (a < b) sum += b - a;
  }
  return sum;
}

bool Costs::ever_down(int rank) const {
  return std::any_of(cluster_.outages.begin(), cluster_.outages.end(),
                     [&](const Cluster::Outage& o) { return o.node == node_of(rank); });
}

Instant Costs::fails(int rank) const {
  for (const Cluster::Outage& o : cluster_.outages)
    if (o.node == node_of(rank) && o.until == Interval()) return Instant::start() + o.at;
  return Instant::never();
}

Instant Costs::find_known(int rank, int by) const {
  if (rank == by || fails(rank).is_never()) return Instant::never();
  Interval most = Interval::picoseconds(1);
  std::vector<model::Bytes> sizes = {
      std::numeric_limits<model::Bytes>::max()};  // a size for each piece, and a larger one
  const Cluster::Link* link = stated(rank, by);
  for (const model::Piece& piece : link ? link->pieces : cluster_.network.pieces)
    sizes.push_back(piece.up_to);
  std::vector<Interval> instants = {Interval()};
  for (const Cluster::LinkEvent& e : cluster_.link_events) instants.insert(instants.end(), {e.at, e.until});
  for (const model::Bytes k : sizes)
    for (const Interval at : instants) most = std::max(most, latency(rank, by, k, Instant::start() + at));
  return fails(rank) + most;
}

bool Costs::crosses(int rank, Interval work, Instant start) const {
  Instant until;
  speed(rank, start, until);
  return !until.is_never() && done(rank, work, start) > until;
}

Instant Costs::done(int rank, Interval work, Instant start) const {
  __uint128_t left = static_cast<__uint128_t>(work.picoseconds()) * 1'000'000'000;
  for (Instant now = start;;) {
    if (left == 0) return now;
    Instant until;
    const auto here = static_cast<__uint128_t>(speed(rank, now, until));
    const auto room = here * static_cast<__uint128_t>((until - now).picoseconds());
    if (here > 0 && left <= room)
      return now + Interval::picoseconds(static_cast<std::int64_t>((2 * left + here) / (2 * here)));
    if (until.is_never() || now >= fails(rank)) return Instant::never();
    left -= room;
    now = until;
  }
}

}  // namespace emu::reference
