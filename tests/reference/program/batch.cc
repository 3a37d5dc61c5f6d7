#include "reference/program/batch.h"

#include <algorithm>
#include <type_traits>

#include "reference/cluster/media.h"
#include "reference/program/random.h"

namespace emu::reference {
namespace {

Interval ps(std::int64_t n) { return Interval::picoseconds(n); }

// Sometimes zero, because free calls lead to many more events at the same instant.
model::Overhead overhead(Random& random, std::int64_t unit) {
  model::Overhead o;
  if (random.chance(30)) return o;
  o.fixed = ps(random.pick<std::int64_t>({0, unit / 10, unit / 2, unit, unit + 1}));
  if (random.chance(30)) o.per_process = ps(unit / 50);
  if (random.chance(50))
    o.per_byte = Rate::femtoseconds_per_byte(random.pick<std::int64_t>({unit / 3, unit, 2 * unit}));
  return o;
}

Cluster::Link link(Random& random, std::int64_t unit) {
  Cluster::Link l;
  l.latency = ps(random.pick<std::int64_t>({0, 1, unit / 10, unit, 3 * unit}));
  l.gap_per_byte = Rate::femtoseconds_per_byte(random.pick<std::int64_t>({0, unit / 7, unit, 3 * unit}));
  l.send = overhead(random, unit);
  l.receive = overhead(random, unit);
  return l;
}

// Two or three groups of nodes, with ranks at random, and some links with values of their own.
void make_uneven(Random& random, Batch& b) {
  Cluster& c = b.cluster;
  c.groups.clear();
  int slots = 0;
  const int groups = random.between(2, 3);
  for (int g = 0; g < groups || slots < b.ranks; ++g) {
    const Cluster::Group group{random.between(1, 3), random.between(1, 3)};
    slots += group.nodes * group.slots;
    c.groups.push_back(group);
  }
  c.policy = random.pick<Cluster::Policy>(
      {Cluster::Policy::block, Cluster::Policy::cyclic, Cluster::Policy::cyclic, Cluster::Policy::list});
  if (c.policy == Cluster::Policy::list) {
    int node = 0;
    for (const Cluster::Group& group : c.groups)
      for (int i = 0; i < group.nodes; ++i, ++node)
        for (int slot = 0; slot < group.slots; ++slot) c.list.push_back(node);
    random.shuffle(c.list);
  }
  const int count = static_cast<int>(c.groups.size());
  for (int from = 0; from < count; ++from) {
    for (int to = 0; to < count; ++to) {
      if (!random.chance(40)) continue;
      c.links.push_back(link(random, b.unit));
      c.links.back().from = from;
      c.links.back().to = to;
    }
    if (!random.chance(50)) continue;
    c.links.push_back(link(random, b.unit));
    c.links.back().from = from;
    c.links.back().inside = true;
  }
}

// Slow and fast in turn, so that a message on the fast link could overtake an earlier message. For a few programs.
void alternate(Random& random, Batch& b, int from, int to) {
  Interval end;
  for (int i = random.between(10, 120); i > 0; --i) {
    const Interval slow = end + ps(b.unit * random.between(0, 5)),
                   fast = slow + ps(b.unit * random.between(1, 15)),
                   until = fast + ps(b.unit * random.between(1, 15));
    b.cluster.link_events.push_back({from, to, slow, fast, random.pick<std::int64_t>({4000, 12000}), 1000});
    b.cluster.link_events.push_back({from, to, fast, until, random.pick<std::int64_t>({0, 250, 1000}), 1000});
    end = until;
  }
}

// Links that change.
void make_changing(Random& random, Batch& b) {
  Cluster& c = b.cluster;
  const int groups = static_cast<int>(c.groups.size());
  const bool alternating = random.chance(50);
  if (alternating) c.network.latency = std::max(c.network.latency, ps(b.unit));
  if (alternating && random.chance(60)) c.network.card = model::Card::serial;
  for (int a = 0; a < groups; ++a) {
    for (int to = a; to < groups; ++to) {
      if (alternating) {
        alternate(random, b, a, to);
        continue;
      }
      Interval end;
      for (int i = random.between(0, 6); i > 0; --i) {
        const Interval at = end + ps(b.unit * random.between(0, 40)),
                       until = at + ps(b.unit * random.between(1, 60));
        c.link_events.push_back({a, to, at, until, random.pick<std::int64_t>({0, 250, 1000, 4000, 1001}),
                                 random.pick<std::int64_t>({100, 333, 1000, 3000})});
        end = until;
      }
    }
  }
}

std::int64_t speed(Random& random) {
  return random.pick<std::int64_t>({0, 1, 250, 333, 500, 1000, 3000, 7001});
}

// Speeds that change, on a time scale that programs notice.
void make_unsteady(Random& random, Batch& b) {
  Cluster& c = b.cluster;
  int nodes = 0;
  for (const Cluster::Group& group : c.groups) nodes += group.nodes;
  for (Cluster::Group& group : c.groups) {
    group.speed = random.pick<std::int64_t>({1000, 500, 333, 2500});
    if (random.chance(50))
      for (int i = 0; i < group.slots; ++i)
        group.with.push_back(random.pick<std::int64_t>({1000, 950, 777, 333}));
  }
  for (int node = 0; node < nodes; ++node) {
    Interval end;
    for (int i = random.between(0, 12); i > 0; --i) {  // one after another, so that none contradict
      const Interval at = end + ps(b.unit * random.between(0, 60)),
                     until = at + ps(b.unit * random.between(1, 40) + random.between(-1, 1));
      c.events.push_back(
          {node, at, until, random.chance(85) ? std::max<std::int64_t>(speed(random), 100) : 0});
      if (c.events.back().speed == 0) c.events.back().until = at + ps(b.unit * 10);
      end = c.events.back().until;
    }
    if (!random.chance(30)) continue;
    Cluster::Profile p{node, {}, {}};
    Interval time = random.chance(50) ? Interval() : ps(b.unit * random.between(1, 30));
    for (int i = random.between(1, 5); i > 0; --i, time += ps(random.between(1, 20) * b.unit / 3 + 1))
      p.steps.emplace_back(time, std::max<std::int64_t>(speed(random), 100));
    if (random.chance(70)) p.loop_after = ps(random.between(1, 20) * b.unit / 7 + 1);
    c.profiles.push_back(p);
  }
  // A node that is down for some time.
  for (int node = 0; node < nodes; ++node) {
    Interval end = ps(b.unit * 30);  // during the first programs
    for (int i = random.chance(40) ? random.between(1, 4) : 0; i > 0; --i) {
      const Interval at = end + ps(random.between(1, 100) * b.unit / 3),
                     until = at + ps(random.between(1, 20) * b.unit / 3 + 1);
      c.outages.push_back({node, at, until});
      end = until;
    }
  }
  // The least period of a load is 1 us.
  if (b.unit >= 1'000'000 && random.chance(60))
    c.loads.push_back({0, nodes - 1, random.pick<std::int64_t>({0, 100, 1000, 3000}),
                       ps(b.unit * random.between(1, 5) + random.between(0, 1)), random.next() >> 1});
}

// Messages of some sizes have other costs, also at the eager limit.
void choose_pieces(std::uint64_t seed, Batch& b) {
  Random random(Random::mix(seed) ^ 0x91ece5);
  if (!random.chance(30)) return;
  const auto pieces = [&] {
    std::vector<model::Piece> result;
    for (const model::Bytes up_to : {1, 16, 64, 1024}) {
      if (!random.chance(40)) continue;
      const Cluster::Link values = link(random, b.unit);
      result.push_back({up_to, values.latency, values.gap_per_byte, values.send, values.receive});
    }
    return result;
  };
  b.cluster.network.pieces = pieces();
  for (Cluster::Link& link : b.cluster.links) link.pieces = pieces();
}

// Some clusters have cards and memories that ranks of a node share, and then several ranks on a node.
void choose_shared(std::uint64_t seed, Batch& b) {
  Random random(Random::mix(seed) ^ 0x5a4ed);
  Cluster& c = b.cluster;
  if (c.network.card != model::Card::free || c.network.medium != model::Medium::network) return;
  if (!random.chance(50)) return;
  choose_resources(random, c.network, b.unit);
  int nodes = 0;
  for (const Cluster::Group& group : c.groups) nodes += group.nodes;
  if (random.chance(50)) c.wiring = choose_wiring(random, nodes, b.unit);
}

// Receivers read the data of handshakes, on all links or on some; also of the longer ones only.
void choose_gets(std::uint64_t seed, Cluster& c) {
  Random random(Random::mix(seed) ^ 0x6e75);
  if (!random.chance(40)) return;
  const bool passes = c.network.card == model::Card::serial || c.network.medium == model::Medium::bus;
  if (!passes && random.chance(60)) c.network.rendezvous = model::Rendezvous::get;
  for (Cluster::Link& link : c.links) {
    if (random.chance(40)) continue;
    const bool get = (link.inside || !passes) && random.chance(60);
    link.rendezvous = get ? model::Rendezvous::get : model::Rendezvous::put;
  }
  const auto limit = [&] { return random.pick<model::Bytes>({0, 40, 100, 1200}); };
  if (c.network.rendezvous == model::Rendezvous::get) c.network.put_limit = limit();
  for (Cluster::Link& link : c.links) {
    const bool get = link.rendezvous.value_or(c.network.rendezvous) == model::Rendezvous::get;
    if (get && random.chance(40)) link.put_limit = limit();
  }
}

// Sends last until their last byte has left, on all links or on some.
void choose_whole(std::uint64_t seed, Cluster& c) {
  Random random(Random::mix(seed) ^ 0x3e47);
  const model::Parameters& n = c.network;
  if (n.nodes.memory || !random.chance(40)) return;
  const bool shares = n.card == model::Card::serial || n.nodes.cards || n.medium == model::Medium::bus ||
                      c.wiring.kind != Wiring::Kind::none;
  if (!shares && random.chance(60)) c.network.send_returns = model::SendReturns::sent;
  for (Cluster::Link& link : c.links) {
    if (random.chance(40)) continue;
    const bool sent = (link.inside || !shares) && random.chance(60);
    link.send_returns = sent ? model::SendReturns::sent : model::SendReturns::copied;
  }
}

// In a part of the batches reductions, copies and temporary memory of collectives take time.
void choose_work(std::uint64_t seed, Batch& b) {
  Random random(Random::mix(seed) ^ 0x444d);
  if (!random.chance(40)) return;
  const auto rate = [&] {
    return Rate::femtoseconds_per_byte(
        random.pick<std::int64_t>({0, b.unit / 7 + 1, b.unit, b.unit, 3 * b.unit + 1}));
  };
  model::Parameters& n = b.cluster.network;
  n.reduce_per_byte = rate();
  n.copy_per_byte = rate();
  n.temporary_per_byte = rate();
  n.temporary_from = random.pick<model::Bytes>({1, 8, 64, 260, 261, 2000});
}

// In a part of the batches a false answer costs a share of the time for which a rank has polled. The share is large,
// since the programs stop a loop after few polls. Calls that cancel a request poll inside: they are not drawn with it.
void choose_growth(std::uint64_t seed, Batch& b) {
  Random random(Random::mix(seed) ^ 0x92074);
  if (!b.cancels && random.chance(40))
    b.cluster.network.poll_growth =
        random.pick<std::int64_t>({900'000'000, 300'000'000, 100'000'000, 1'000'000});
}

}  // namespace

Batch make_batch(std::uint64_t seed, int ranks) {
  Random random(Random::mix(seed) ^ 0xba7c4);
  Batch b;
  b.seed = seed;
  const int usual = random.between(2, 8);
  b.ranks = ranks > 0 ? ranks : usual;
  b.unit = random.pick<std::int64_t>({1'000, 1'000'000, 50'000'000});
  b.cluster.groups = {{b.ranks, 1}};
  model::Parameters& n = b.cluster.network;
  n.latency = ps(random.pick<std::int64_t>({0, 1, b.unit, b.unit, b.unit, 5 * b.unit}));
  n.gap = ps(random.pick<std::int64_t>({0, 0, 0, b.unit, 3 * b.unit}));
  n.gap_per_byte =
      Rate::femtoseconds_per_byte(random.pick<std::int64_t>({0, b.unit / 7, b.unit, b.unit, 2 * b.unit}));
  n.eager_limit = random.pick<model::Bytes>({0, 16, 64, 64, 1024, 1024});
  n.always_eager = random.chance(15);
  n.card = random.chance(40) ? model::Card::serial : model::Card::free;
  n.send = overhead(random, b.unit);
  n.receive = random.chance(50) ? n.send : overhead(random, b.unit);
  n.poll = ps(random.pick<std::int64_t>({b.unit / 3 + 1, b.unit, 2 * b.unit}));
  if (random.chance(50)) make_uneven(random, b);
  if (random.chance(40)) make_unsteady(random, b);
  if (random.chance(30)) make_changing(random, b);
  if (random.chance(40)) choose_medium(random, b.cluster.network);
  if (random.chance(40)) n.handshake_trips = random.between(3, 5);
  b.cancels = Random(Random::mix(seed) ^ 0xca7ce1).chance(30);
  b.releases = Random(Random::mix(seed) ^ 0xf528).chance(30);
  b.releases_started = Random(Random::mix(seed) ^ 0xf601).chance(30);
  b.keeps_found = Random(Random::mix(seed) ^ 0xf99d).chance(40);
  b.parts_bridges = Random(Random::mix(seed) ^ 0xbbb6).chance(50);
  b.mixes = Random(Random::mix(seed) ^ 0xd436).chance(50);
  b.tells_edges = Random(Random::mix(seed) ^ 0xd5dd).chance(50);
  b.makes_subsets = Random(Random::mix(seed) ^ 0x25f39).chance(50);
  b.takes_beside = Random(Random::mix(seed) ^ 0x1678d).chance(50);
  b.frees_idle = Random(Random::mix(seed) ^ 0x173cf).chance(50);
  choose_pieces(seed, b);
  if (seed >= shared_seeds) choose_shared(seed, b);
  choose_gets(seed, b.cluster);
  choose_whole(seed, b.cluster);
  choose_growth(seed, b);
  choose_work(seed, b);
  return b;
}

void fail_nodes(Batch& b, std::uint64_t seed, Interval length) {
  Random random(Random::mix(seed) ^ Random::mix(b.seed) ^ 0xfa11);
  int nodes = 0;
  for (const Cluster::Group& group : b.cluster.groups) nodes += group.nodes;
  const auto instant = [&](Interval from) {
    const auto left = static_cast<std::uint64_t>((length - from).picoseconds() + 1);
    return from + ps(static_cast<std::int64_t>(random.next() % left));
  };
  for (int node = 0; node < nodes; ++node) {
    if (random.chance(60)) continue;
    const Interval at = instant(Interval());
    if (random.chance(50)) {
      b.cluster.outages.push_back({node, at, Interval()});
    } else {
      b.cluster.outages.push_back({node, at, instant(at) + ps(1)});
    }
  }
}

void break_ties(Batch& b) {
  Random random(Random::mix(b.seed) ^ 0x71e5);
  const auto more = [&](auto& value) {
    const auto some = static_cast<std::int64_t>(random.next() % static_cast<std::uint64_t>(b.unit / 20));
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Rate>)
      value = Rate::femtoseconds_per_byte(value.femtoseconds_per_byte() + some);
    else
      value += ps(some);
  };
  const auto link = [&](auto& l) {
    more(l.latency);
    more(l.gap_per_byte);
    for (model::Overhead* o : {&l.send, &l.receive}) {
      more(o->fixed);
      more(o->per_byte);
    }
  };
  link(b.cluster.network);
  for (Rate* rate : {&b.cluster.network.reduce_per_byte, &b.cluster.network.copy_per_byte,
                     &b.cluster.network.temporary_per_byte})
    if (*rate > Rate()) more(*rate);
  for (model::Piece& piece : b.cluster.network.pieces) link(piece);
  for (Cluster::Link& l : b.cluster.links) {
    link(l);
    for (model::Piece& piece : l.pieces) link(piece);
  }
  // Short, so that some polls more or fewer do not lead to another path.
  b.cluster.network.poll = ps(b.unit / 50);
  more(b.cluster.network.poll);
  b.cluster.network.poll_growth = 0;
  if (b.cluster.network.gap > Interval()) more(b.cluster.network.gap);
}

void fail_noticed(Batch& b, std::uint64_t seed, const std::vector<Instant>& instants, Instant begin) {
  Random random(Random::mix(seed) ^ Random::mix(b.seed) ^ 0xfa12);
  b.cluster.notices = true;
  b.cluster.network.nodes = {};  // nodes that are down cannot share resources
  int nodes = 0;
  for (const Cluster::Group& group : b.cluster.groups) nodes += group.nodes;
  const Interval first = begin - Instant::start() + ps(1);
  const auto instant = [&] {
    Instant at = random.pick(instants);
    // Known at that instant, as far as the usual latency determines it.
    if (random.chance(50)) at = at - b.cluster.network.latency;
    if (random.chance(60)) at = at + ps(random.between(-1, 1));
    if (random.chance(30)) at = at + ps(random.below(static_cast<int>(b.unit) * 2));
    return std::max(first, at - Instant::start());
  };
  for (int node = 0; node < nodes; ++node) {
    const int kind = random.below(100);
    const Interval at = instant();
    if (kind < 35) {
      b.cluster.outages.push_back({node, at, Interval()});
    } else if (kind < 45) {
      const Interval up = at + ps(random.between(1, 20) * b.unit / 3 + 1);
      b.cluster.outages.push_back({node, at, up});
      if (random.chance(50)) b.cluster.outages.push_back({node, std::max(instant(), up + ps(1)), Interval()});
    }
  }
}

std::string describe(const Batch& b) {
  return "batch " + std::to_string(b.seed) + ": " + std::to_string(b.ranks) + " ranks, " +
         describe(b.cluster) + (b.cancels ? "; sends are taken back" : "");
}

}  // namespace emu::reference
