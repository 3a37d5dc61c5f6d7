#include "reference/derivatives.h"

#include <cstdlib>

namespace emu::reference {
namespace {

// Picoseconds by which a cost changes, per unit of its count.
constexpr std::int64_t step = 1;

struct Parameter {
  const char* name;
  void (*move)(model::Parameters& p, std::int64_t picoseconds);
  std::int64_t (*derivative)(const trace::Path& path, int ranks);
};

void move(Interval& interval, std::int64_t ps) { interval += Interval::picoseconds(ps); }
void move(Rate& rate, std::int64_t ps) {
  rate = Rate::femtoseconds_per_byte(rate.femtoseconds_per_byte() + 1000 * ps);
}

using P = model::Parameters;
using Path = trace::Path;
const std::array<Parameter, parameter_count> parameters = {{
    {"network.latency", [](P& p, std::int64_t d) { move(p.latency, d); },
     [](const Path& t, int) { return t.latencies; }},
    {"network.gap", [](P& p, std::int64_t d) { move(p.gap, d); }, [](const Path& t, int) { return t.gaps; }},
    {"network.gap_per_byte", [](P& p, std::int64_t d) { move(p.gap_per_byte, d); },
     [](const Path& t, int) { return t.gap_bytes; }},
    {"network.send.fixed", [](P& p, std::int64_t d) { move(p.send.fixed, d); },
     [](const Path& t, int) { return t.sends; }},
    {"network.send.per_process", [](P& p, std::int64_t d) { move(p.send.per_process, d); },
     [](const Path& t, int ranks) { return t.sends * ranks; }},
    {"network.send.per_byte", [](P& p, std::int64_t d) { move(p.send.per_byte, d); },
     [](const Path& t, int) { return t.sent_bytes; }},
    {"network.receive.fixed", [](P& p, std::int64_t d) { move(p.receive.fixed, d); },
     [](const Path& t, int) { return t.receives; }},
    {"network.receive.per_byte", [](P& p, std::int64_t d) { move(p.receive.per_byte, d); },
     [](const Path& t, int) { return t.received_bytes; }},
    {"network.poll.fixed", [](P& p, std::int64_t d) { move(p.poll, d); },
     [](const Path& t, int) { return t.polls; }},
}};

bool negative(const model::Parameters& p) {
  for (Interval d : {p.latency, p.gap, p.send.fixed, p.send.per_process, p.receive.fixed, p.poll})
    if (d < Interval()) return true;
  for (Rate r : {p.gap_per_byte, p.send.per_byte, p.receive.per_byte})
    if (r < Rate()) return true;
  return false;
}

// The cluster with the parameter changed wherever it has it, in links of their own too; nothing if that is
// below 0 somewhere.
std::optional<Cluster> changed(Cluster cluster, const Parameter& parameter, std::int64_t ps) {
  parameter.move(cluster.network, ps);
  bool possible = !negative(cluster.network);
  for (Cluster::Link& link : cluster.links) {
    model::Parameters p;
    p.latency = link.latency;
    p.gap_per_byte = link.gap_per_byte;
    p.send = link.send;
    p.receive = link.receive;
    p.gap = p.poll = Interval::picoseconds(step);  // are not the link's
    parameter.move(p, ps);
    possible = possible && !negative(p);
    link.latency = p.latency;
    link.gap_per_byte = p.gap_per_byte;
    link.send = p.send;
    link.receive = p.receive;
  }
  if (!possible) return std::nullopt;
  return cluster;
}

// Per rank; empty if a program does not end any more.
using Finishes = std::vector<Instant>;

Finishes finishes(const Chain& chain, const std::optional<Cluster>& cluster) {
  if (!cluster) return {};
  Simulator simulator(*cluster, chain.batch.ranks);
  for (const Program& program : chain.programs)
    if (simulator.run(program) != Simulator::End::finished) return {};
  Finishes result;
  for (int rank = 0; rank < chain.batch.ranks; ++rank) result.push_back(simulator.clock(rank));
  return result;
}

// How far a rank's finish moves, if it moves as far forwards as backwards.
std::optional<std::int64_t> moves(const Finishes& before, const Finishes& now, const Finishes& after,
                                  std::size_t rank) {
  if (before.empty() || after.empty() || after[rank] - now[rank] != now[rank] - before[rank])
    return std::nullopt;
  return (after[rank] - now[rank]).picoseconds();
}

Difference difference(const Chain& chain, std::size_t rank, const char* what, std::int64_t expected,
                      std::int64_t got) {
  return {chain.first, "rank " + std::to_string(rank) + ", path to the finish, " + what + "\n  expected: " +
                           std::to_string(expected) + "\n  got:      " + std::to_string(got) + "\n"};
}

// The causes are the counts times the parameters. Costs per byte are rounded once for each message, so that
// they may be off by half a picosecond each.
//
// The finish is homogeneous in the parameters and what is computed (all of them twice as long: so is the
// finish), hence it is the sum of all derivatives, times what they are derivatives by. So this, the sum and
// the other derivatives are the check of the one by the speed of the CPUs, which is what remains: compute.
// Only where all links are alike.
bool causes_fit(const Path& t, const Cluster& cluster, int ranks) {
  if (!cluster.links.empty() || !cluster.link_events.empty() || cluster.network.medium == model::Medium::grid)
    return true;
  const model::Parameters& p = cluster.network;
  const Costs network(cluster, ranks);
  const auto overhead = [&](const model::Overhead& o, std::int64_t n, std::int64_t bytes) {
    return (o.fixed + o.per_process * ranks) * n + o.per_byte.times(bytes);
  };
  const Interval overheads =
      overhead(p.send, t.sends, t.sent_bytes) + overhead(p.receive, t.receives, t.received_bytes);
  const auto off = [](Interval a, Interval b) { return std::abs((a - b).picoseconds()); };
  return t.latency == network.latency(0, 1, Instant()) * t.latencies && t.gap == p.gap * t.gaps &&
         t.poll == network.poll() * t.polls &&
         off(t.send_overhead + t.receive_overhead + t.handshake, overheads) <=
             (t.sends + t.receives) / 2 + 1 &&
         off(t.gap_per_byte, p.gap_per_byte.times(t.gap_bytes)) <= t.latencies + t.sends + 1;
}

}  // namespace

const std::array<const char*, parameter_count> parameter_names = [] {
  std::array<const char*, parameter_count> names{};
  for (std::size_t i = 0; i < parameters.size(); ++i) names[i] = parameters[i].name;
  return names;
}();

std::optional<Difference> compare_paths(const Chain& chain, const trace::RunSummary& record,
                                        DerivativeCounts* counts) {
  const std::size_t ranks = record.ranks.size();
  Finishes now;
  for (const trace::RankSummary& rank : chain.finish) now.push_back(rank.finish);
  for (std::size_t r = 0; r < ranks; ++r) {
    const std::int64_t sum = record.ranks[r].path.total().picoseconds();
    if (sum != now[r].picoseconds()) return difference(chain, r, "sum of causes", now[r].picoseconds(), sum);
    if (!causes_fit(record.ranks[r].path, chain.batch.cluster, static_cast<int>(ranks)))
      return Difference{chain.first,
                        "rank " + std::to_string(r) + ": counts do not fit the causes of its path\n"};
  }
  // Where speeds change with time, a shift changes what computing takes.
  if (!chain.batch.cluster.steady()) return std::nullopt;
  for (std::size_t i = 0; counts && i < parameters.size(); ++i) {
    const Cluster& cluster = chain.batch.cluster;
    const Finishes before = finishes(chain, changed(cluster, parameters[i], -step)),
                   after = finishes(chain, changed(cluster, parameters[i], step));
    for (std::size_t r = 0; r < ranks; ++r) {
      const auto moved = moves(before, now, after, r);
      if (!moved) continue;
      const std::int64_t got = parameters[i].derivative(record.ranks[r].path, static_cast<int>(ranks));
      if (got != *moved) return difference(chain, r, parameters[i].name, *moved, got);
      (*counts)[i] += *moved != 0;
    }
  }
  return std::nullopt;
}

}  // namespace emu::reference
