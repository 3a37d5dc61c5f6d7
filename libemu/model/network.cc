#include "model/network.h"

#include <array>
#include <cstdlib>

#include "model/speed.h"

namespace emu::model {

namespace {

constexpr Interval least = Interval::picoseconds(1);

constexpr std::array cards = {Resource::sending_card, Resource::receiving_card};
constexpr std::array bus = {Resource::bus};

std::span<const Resource> shared(const Parameters& p) {
  if (p.medium == Medium::bus) return bus;
  if (p.card == Card::serial) return cards;
  return {};
}

// The job's ranks on one group of nodes.
struct Members {
  int nodes = 0;
  bool shared = false;  // two of them are on one node
};

std::vector<Members> members(const Topology& t) {
  std::vector<Members> result(static_cast<std::size_t>(t.groups));
  std::vector<bool> used;  // by node
  for (const Places::Place place : t.ranks) {
    Members& group = result[static_cast<std::size_t>(place.group)];
    const auto node = static_cast<std::size_t>(place.node);
    if (node >= used.size()) used.resize(node + 1);
    if (used[node])
      group.shared = true;
    else
      ++group.nodes;
    used[node] = true;
  }
  return result;
}

}  // namespace

Topology Topology::uniform(const Parameters& p, int ranks) {
  Topology t;
  for (int rank = 0; rank < ranks; ++rank) t.ranks.push_back({rank, 0});
  Link link{p.latency, p.gap_per_byte, p.send, p.receive};
  link.pieces = p.pieces;
  t.between = t.inside = {link};
  return t;
}

Network::Network(const Parameters& parameters, const Topology& topology, bool one_sided)
    : p_(parameters),
      processes_(static_cast<int>(topology.ranks.size())),
      groups_(topology.groups),
      one_sided_(one_sided),
      places_(topology.ranks),
      resources_(parameters.nodes, topology.ranks, topology.interconnect, parameters.medium == Medium::bus),
      links_(topology.between),
      shared_(shared(parameters)) {
  links_.insert(links_.end(), topology.inside.begin(), topology.inside.end());
  const auto raise = [&](auto& costs) {  // of a link or a piece
    if (costs.latency + costs.send.of(1, processes_) < least) costs.latency = least;
  };
  for (Link& link : links_) {
    raise(link);
    for (Piece& piece : link.pieces) raise(piece);
    if (!link.eager_limit)
      link.eager_limit = p_.always_eager ? std::numeric_limits<Bytes>::max() : p_.eager_limit;
    if (!link.rendezvous) link.rendezvous = p_.rendezvous;
    if (!link.put_limit) link.put_limit = p_.put_limit;
    if (!link.send_returns) link.send_returns = p_.send_returns;
  }
  all_equal_ =
      std::all_of(links_.begin(), links_.end(), [&](const Link& link) { return link == links_.front(); });
  find_least(topology);
  find_order();
}

const Link& Network::link_of_places(int from, int to) const {
  const Places::Place a = place(from), b = place(to);
  return links_[static_cast<std::size_t>(a.node == b.node ? groups_ * groups_ + a.group
                                                          : a.group * groups_ + b.group)];
}

namespace {

__extension__ using Wide = __int128;

constexpr Wide longest = Interval::longest().picoseconds();

// value * by / over, to the nearest whole number.
Wide scaled(std::int64_t value, std::int64_t by, std::int64_t over) {
  return (static_cast<Wide>(value) * by + over / 2) / over;
}

// `costs`: a link or a piece.
Interval changed_latency(const auto& costs, const LinkChange& change, int processes) {
  const Wide scaled_latency = scaled(costs.latency.picoseconds(), change.latency, one);
  const auto latency = Interval::picoseconds(static_cast<std::int64_t>(std::min(scaled_latency, longest)));
  return latency + costs.send.of(1, processes) < least ? least : latency;
}

// A gap in femtoseconds per byte, which may exceed the range of a Rate.
Interval occupancy(Wide gap, Bytes trailing) {
  if (trailing > 0 && gap > longest * 1000 / trailing) return Interval::longest();
  return Interval::picoseconds(static_cast<std::int64_t>((gap * trailing + 500) / 1000));
}

double factor(std::int64_t billionths) { return static_cast<double>(billionths) / static_cast<double>(one); }

}  // namespace

const Piece* Network::find_piece(const Link& l, Bytes k) {
  for (const Piece& piece : l.pieces)
    if (k <= piece.up_to) return &piece;
  return nullptr;
}

void Network::take_piece(Route& route, const Link& link, Bytes trailing) const {
  route.changes = true;
  const Piece* const piece = find_piece(link, trailing + 1);
  if (!piece) return;
  route.latency = piece->latency;
  route.gap_per_byte = piece->gap_per_byte;
  route.occupancy = piece->gap_per_byte.times(trailing);
}

void Network::change(Route& route, const Link& link, const Piece* piece, Bytes trailing,
                     const LinkChange& change) const {
  route.latency =
      piece ? changed_latency(*piece, change, processes_) : changed_latency(link, change, processes_);
  route.latencies = factor(change.latency);
  const Rate gap = piece ? piece->gap_per_byte : link.gap_per_byte;
  const Wide changed_gap = scaled(gap.femtoseconds_per_byte(), one, change.bandwidth);
  route.gap_per_byte = Rate::femtoseconds_per_byte(
      static_cast<std::int64_t>(std::min<Wide>(changed_gap, std::numeric_limits<std::int64_t>::max())));
  route.occupancy = occupancy(changed_gap, trailing);
  route.trailing /= factor(change.bandwidth);
}

void Network::change_at(Route& route, const Link& link, Bytes trailing, Instant at) const {
  route.changes = true;
  for (const LinkChange& c : link.changes)
    if (at >= c.from && at < c.until) return change(route, link, piece_of(link, trailing + 1), trailing, c);
}

void Network::repeat(Route& route, int from, int to) const {
  route.hops = grid_hops(from, to);
  route.latency = route.latency.times(route.hops);
  route.latencies *= route.hops;
}

Route Network::slowest(int from, int to) const {
  const Link& l = link(from, to);
  const Route usual = usual_route(l, 0);
  Route slowest = usual;
  const auto consider = [&](const Route& route) {
    slowest.latency = std::max(slowest.latency, route.latency);
    slowest.latencies = std::max(slowest.latencies, route.latencies);
  };
  const auto consider_piece = [&](const Piece* piece) {
    Route route = usual;
    if (piece) route.latency = piece->latency;
    consider(route);
    for (const LinkChange& c : l.changes) {
      change(route, l, piece, 0, c);
      consider(route);
    }
  };
  consider_piece(nullptr);
  for (const Piece& piece : l.pieces) consider_piece(&piece);
  if (pays_hops()) repeat(slowest, from, to);
  slowest.latency += resources_.latency(from, to);
  return slowest;
}

void Network::share(Route& route, int from, int to) const {
  route.latency += resources_.latency(from, to);
  route.contended = route.trailing > 0 && resources_.meet(from, to);
}

int Network::grid_hops(int from, int to) const {
  const int a = places_[static_cast<std::size_t>(from)].node, b = places_[static_cast<std::size_t>(to)].node;
  const int rows = std::abs(a / p_.columns - b / p_.columns),
            columns = std::abs(a % p_.columns - b % p_.columns);
  return std::max(1, rows + columns);
}

// All messages at a card have one receiver. Messages at the bus are in order if all links have equal constant
// latencies.
void Network::find_order() {
  if (p_.medium != Medium::bus) return;
  const Link* first = nullptr;
  for (const Link& link : links_) {
    if (!link.card) continue;
    if (!first) first = &link;
    orderly_ = orderly_ && link.changes.empty() && link.latency == first->latency &&
               std::all_of(link.pieces.begin(), link.pieces.end(),
                           [&](const Piece& piece) { return piece.latency == first->latency; });
  }
}

bool Network::any_gets() const {
  return std::any_of(links_.begin(), links_.end(),
                     [](const Link& link) { return link.rendezvous == Rendezvous::get; });
}

bool Network::any_sends_whole() const {
  return std::any_of(links_.begin(), links_.end(),
                     [](const Link& link) { return link.send_returns == SendReturns::sent; });
}

Route Network::reading(int from, int to, Bytes k, Instant at, Instant& arrives) const {
  const Route request = route(to, from, 1, at);
  const Interval trips = request.latency.plus(further_trips(request));
  arrives = std::min(at + trips, Instant::never());
  Route data = route(from, to, k, arrives);
  data.latency = data.latency.plus(trips);
  data.latencies += request.latencies + further_latencies(request);
  return data;
}

// With serial cards the message passes two of them, which transfer its bytes at the same time.
Network::Passage Network::passage(int from, int to, Bytes k, Instant at) const {
  const Route there = route(from, to, k, at);
  const Interval copying = send_overhead(from, to, k);
  const bool read = gets(from, to, k) && !eager(from, to, k);
  if (!sends_whole(from, to) || read) return {copying, there.latency.plus(there.occupancy)};
  return {std::max(copying, first_byte(from, to, k).plus(there.occupancy)), there.latency};
}

Interval Network::one_way(int from, int to, Bytes k, Instant at) const {
  Interval time;
  if (!eager(from, to, k)) {  // request, answer or request to read, and the overheads for them
    const Route request = route(from, to, 1, at), back = route(to, from, 1, at);
    time = control_send(from, to)
               .plus(request.latency)
               .plus(control_receive(from, to))
               .plus(back.latency)
               .plus(further_trips(back));
    if (!gets(from, to, k)) time = time.plus(control_send(to, from)).plus(control_receive(to, from));
  }
  const auto [send, flight] = passage(from, to, k, at);
  return time.plus(send).plus(flight).plus(receive_overhead(from, to, k));
}

void Network::find_least(const Topology& topology) {
  const Interval none = Interval::picoseconds(Instant::never().picoseconds() / 4);
  lookahead_ = least_receive_ = none;
  least_.assign(topology.between.size(), none);
  const auto receive = [&](const Link& link) {
    least_receive_ = std::min(least_receive_, link.receive.of(1, processes_));
    for (const Piece& piece : link.pieces)
      least_receive_ = std::min(least_receive_, piece.receive.of(1, processes_));
  };
  // `between`: the latency of the interconnect.
  const auto both = [&](const Link& link, std::size_t a, std::size_t b, Interval between) {
    receive(link);
    Interval& shortest = least_[a * static_cast<std::size_t>(groups_) + b];
    const auto consider = [&](const auto& costs, Interval latency) {
      latency += between;
      const Interval after = one_sided_ ? std::max(latency, least) : latency + costs.send.of(1, processes_);
      shortest = std::min(shortest, after);
    };
    const auto consider_all = [&](const auto& costs) {
      consider(costs, costs.latency);
      for (const LinkChange& c : link.changes) consider(costs, changed_latency(costs, c, processes_));
    };
    consider_all(link);
    for (const Piece& piece : link.pieces) consider_all(piece);
    lookahead_ = std::min(lookahead_, shortest);
  };
  const std::vector<Members> groups = members(topology);
  for (std::size_t a = 0; a < groups.size(); ++a) {
    if (groups[a].nodes == 0) continue;
    const Link& inside = links_[topology.between.size() + a];
    receive(inside);  // a message of a rank to itself: if it shares a resource, it delays others
    const bool delays = (inside.card && !shared_.empty()) || p_.nodes.memory;
    if (groups[a].shared || delays) both(inside, a, a, Interval());
    for (std::size_t b = 0; b < groups.size(); ++b)
      if (groups[b].nodes > (a == b ? 1 : 0))
        both(links_[a * groups.size() + b], a, b, resources_.least_latency());
  }
}

// The shortest paths to the group of `to` (Dijkstra, backwards).
std::vector<Lookahead> Network::lookaheads(int to) const {
  const auto groups = static_cast<std::size_t>(groups_);
  if (resources_.any()) return {groups, {lookahead_, lookahead_ * 2}};
  const auto end = static_cast<std::size_t>(places_[static_cast<std::size_t>(to)].group);
  const auto least = [&](std::size_t a, std::size_t b) { return least_[a * groups + b]; };
  std::vector<Interval> way(groups), chain(groups);
  std::vector<bool> done(groups);
  for (std::size_t g = 0; g < groups; ++g) {
    way[g] = least(g, end);
    chain[g] = Interval::picoseconds(Instant::never().picoseconds() / 2);
  }
  for (std::size_t i = 0; i < groups; ++i) {
    std::size_t next = groups;
    for (std::size_t g = 0; g < groups; ++g)
      if (!done[g] && (next == groups || way[g] < way[next])) next = g;
    done[next] = true;
    for (std::size_t g = 0; g < groups; ++g) {
      chain[g] = std::min(chain[g], least(g, next) + way[next]);
      way[g] = std::min(way[g], chain[g]);
    }
  }
  std::vector<Lookahead> result;
  for (std::size_t g = 0; g < groups; ++g) result.push_back({least(g, end), chain[g]});
  return result;
}

}  // namespace emu::model
