#include "reference/compare/derivatives.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace emu::reference {
namespace {

// A changed parameter, and the expected change of the finish per unit of the change.
struct Parameter {
  const char* name;
  // Changes the parameter by `by` units: picoseconds, femtoseconds per byte, millionths of all speeds.
  void (*move)(Cluster& cluster, std::int64_t by);
  double (*derivative)(const record::Path& path, int ranks);
  bool rounded = false;     // its cost is rounded
  bool moves_looks = true;  // it moves looks by as much as arrivals, if it changes by whole polls
};

void move(Interval& interval, std::int64_t ps) { interval += Interval::picoseconds(ps); }
void move(Rate& rate, std::int64_t fs) {
  rate = Rate::femtoseconds_per_byte(rate.femtoseconds_per_byte() + fs);
}
// All values of the parameter in the cluster, also those of single links.
template <class Member>
void move(Cluster& c, Member model::Parameters::*part, Member Cluster::Link::*of_link,
          Member model::Piece::*of_piece, std::int64_t ps) {
  const auto pieces = [&](std::vector<model::Piece>& all) {
    for (model::Piece& piece : all) move(piece.*of_piece, ps);
  };
  move(c.network.*part, ps);
  pieces(c.network.pieces);
  for (Cluster::Link& link : c.links) {
    move(link.*of_link, ps);
    pieces(link.pieces);
  }
}
template <class Member>
void move(Cluster& c, model::Overhead model::Parameters::*part, model::Overhead Cluster::Link::*of_link,
          model::Overhead model::Piece::*of_piece, Member model::Overhead::*member, std::int64_t ps) {
  const auto pieces = [&](std::vector<model::Piece>& all) {
    for (model::Piece& piece : all) move(piece.*of_piece.*member, ps);
  };
  move(c.network.*part.*member, ps);
  pieces(c.network.pieces);
  for (Cluster::Link& link : c.links) {
    move(link.*of_link.*member, ps);
    pieces(link.pieces);
  }
}

using P = model::Parameters;
using L = Cluster::Link;
using I = model::Piece;
using O = model::Overhead;
using Path = record::Path;
const std::array<Parameter, parameter_count> parameters = {{
    {"network.latency", [](Cluster& c, std::int64_t d) { move(c, &P::latency, &L::latency, &I::latency, d); },
     [](const Path& t, int) { return t.latencies; }},
    {"network.gap", [](Cluster& c, std::int64_t d) { move(c.network.gap, d); },
     [](const Path& t, int) { return t.gaps; }},
    {"network.gap_per_byte",
     [](Cluster& c, std::int64_t d) { move(c, &P::gap_per_byte, &L::gap_per_byte, &I::gap_per_byte, d); },
     [](const Path& t, int) { return t.gap_bytes / 1000; }, true},
    {"network.send.fixed",
     [](Cluster& c, std::int64_t d) { move(c, &P::send, &L::send, &I::send, &O::fixed, d); },
     [](const Path& t, int) { return t.sends; }},
    {"network.send.per_process",
     [](Cluster& c, std::int64_t d) { move(c, &P::send, &L::send, &I::send, &O::per_process, d); },
     [](const Path& t, int ranks) { return t.sends * ranks; }},
    {"network.send.per_byte",
     [](Cluster& c, std::int64_t d) { move(c, &P::send, &L::send, &I::send, &O::per_byte, d); },
     [](const Path& t, int) { return t.sent_bytes / 1000; }, true},
    {"network.receive.fixed",
     [](Cluster& c, std::int64_t d) { move(c, &P::receive, &L::receive, &I::receive, &O::fixed, d); },
     [](const Path& t, int) { return t.receives; }},
    {"network.receive.per_byte",
     [](Cluster& c, std::int64_t d) { move(c, &P::receive, &L::receive, &I::receive, &O::per_byte, d); },
     [](const Path& t, int) { return t.received_bytes / 1000; }, true},
    {"network.poll.fixed", [](Cluster& c, std::int64_t d) { move(c.network.poll, d); },
     [](const Path& t, int) { return t.polls; }, false, false},
    {"network.reduce_per_byte", [](Cluster& c, std::int64_t d) { move(c.network.reduce_per_byte, d); },
     [](const Path& t, int) { return t.reduced_bytes / 1000; }, true},
    {"network.copy_per_byte", [](Cluster& c, std::int64_t d) { move(c.network.copy_per_byte, d); },
     [](const Path& t, int) { return t.copied_bytes / 1000; }, true},
    {"network.temporary_per_byte", [](Cluster& c, std::int64_t d) { move(c.network.temporary_per_byte, d); },
     [](const Path& t, int) { return t.temporary_bytes / 1000; }, true},
    {"node.speed", [](Cluster& c, std::int64_t d) { c.faster += d; },
     [](const Path& t, int) { return -t.work / 1e6; }, true, false},
}};

bool negative(const model::Overhead& o) {
  return o.fixed < Interval() || o.per_process < Interval() || o.per_byte < Rate();
}

bool possible(const Cluster& c) {
  const P& p = c.network;
  if (p.latency < Interval() || p.gap < Interval() || p.poll < Interval() || p.gap_per_byte < Rate() ||
      negative(p.send) || negative(p.receive) || p.reduce_per_byte < Rate() || p.copy_per_byte < Rate() ||
      p.temporary_per_byte < Rate())
    return false;
  const auto good = [](const auto& l) {
    return l.latency >= Interval() && l.gap_per_byte >= Rate() && !negative(l.send) && !negative(l.receive);
  };
  const auto all_good = [&](const std::vector<I>& pieces) {
    return std::all_of(pieces.begin(), pieces.end(), good);
  };
  return all_good(p.pieces) && std::all_of(c.links.begin(), c.links.end(),
                                           [&](const L& l) { return good(l) && all_good(l.pieces); });
}

// Nothing if a value would be below 0.
std::optional<Cluster> changed(Cluster cluster, const Parameter& parameter, std::int64_t by) {
  parameter.move(cluster, by);
  if (!possible(cluster)) return std::nullopt;
  return cluster;
}

// Per rank; empty if a program no longer ends.
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

// True if the path contains an arrival between two looks of a rank that polled: a small change does not move the look
// that finds it, and a change by a whole poll moves both alike.
bool between_looks(const Path& path, Interval poll) {
  return path.poll.picoseconds() % poll.picoseconds() != 0;
}

constexpr std::array<int, 6> multiples = {-6, -3, -1, 1, 3, 6};

// `within` 0: exact equality.
bool alike(double a, double b, double within) {
  return std::abs(a - b) <= (within > 0 ? within + std::max(std::abs(a), std::abs(b)) / 100 : 0);
}

// The movement of a rank's finish per change, if it is equal for all changes, forwards and backwards, up to `within`
// picoseconds and a hundredth. Small changes are used too: if a rank polls, a finish may move by the cost of one poll
// at some steps, and not at all in between.
std::optional<double> moves(const std::array<Finishes, multiples.size()>& around, const Finishes& now,
                            std::size_t rank, double within) {
  std::array<double, multiples.size()> by{};
  for (std::size_t i = 0; i < multiples.size(); ++i) {
    if (around[i].empty()) return std::nullopt;
    by[i] = static_cast<double>((around[i][rank] - now[rank]).picoseconds());
  }
  const double last = by.back() / multiples.back();
  for (std::size_t i = 0; i < multiples.size(); ++i)
    if (!alike(by[i], last * multiples[i], within)) return std::nullopt;
  return last;
}

Difference difference(const Chain& chain, std::size_t rank, const char* what, double expected, double got) {
  std::ostringstream text;
  text.precision(15);
  text << "rank " << rank << ", path to the finish, " << what << "\n  expected: " << expected
       << "\n  got:      " << got << "\n";
  return {chain.first, text.str()};
}

bool wired(const Cluster& cluster) { return cluster.wiring.kind != Wiring::Kind::none; }

// True if messages share cards, memory or links: then the time of one message depends on the others, and the bytes that
// it waits for have weights of first order only.
bool shares(const Cluster& cluster) {
  return cluster.network.nodes.cards || cluster.network.nodes.memory || wired(cluster);
}

// On a target that does not change, with equal links, the causes are the weights times the parameters. Costs per byte
// are rounded once for each message, so each may be off by half a picosecond. `cancels`: the answer to the cancel of a
// send takes at least 1 ps, also if L is 0.
bool causes_fit(const Path& t, const Cluster& cluster, int ranks, bool cancels) {
  if (!cluster.steady() || !cluster.links.empty() || !cluster.network.pieces.empty()) return true;
  const model::Parameters& p = cluster.network;
  const Costs network(cluster, ranks);
  const auto ps = [](Interval d) { return static_cast<double>(d.picoseconds()); };
  const auto per_byte = [](Rate r) { return static_cast<double>(r.femtoseconds_per_byte()) / 1000; };
  const auto overhead = [&](const O& o, double n, double bytes) {
    return ps(o.fixed + o.per_process * ranks) * n + per_byte(o.per_byte) * bytes;
  };
  const double overheads =
      overhead(p.send, t.sends, t.sent_bytes) + overhead(p.receive, t.receives, t.received_bytes);
  const double latency = ps(network.latency(0, 0, 1, Instant()));
  const bool latencies_fit = wired(cluster) ? true  // the links of a topology have latencies of their own
                             : latency == 0 && cancels ? ps(t.latency) <= t.latencies
                                                       : ps(t.latency) == latency * t.latencies;
  const double work = t.work + per_byte(p.reduce_per_byte) * t.reduced_bytes +
                      per_byte(p.copy_per_byte) * t.copied_bytes +
                      per_byte(p.temporary_per_byte) * t.temporary_bytes;
  return latencies_fit &&
         std::abs(ps(t.compute) - work) <= (t.reduced_bytes + t.copied_bytes + t.temporary_bytes) / 2 + 1 &&
         ps(t.gap) == ps(p.gap) * t.gaps &&
         (p.poll_growth > 0 ? ps(t.poll) + 1 >= ps(network.poll()) * t.polls
                            : ps(t.poll) == std::round(ps(network.poll()) * t.polls)) &&
         std::abs(ps(spent(t, record::Category::overhead) - t.poll - t.gap) - overheads) <=
             (t.sends + t.receives) / 2 + 1 &&
         (shares(cluster) ||
          std::abs(ps(t.gap_per_byte) - per_byte(p.gap_per_byte) * t.gap_bytes) <= t.latencies + t.sends + 1);
}

// The moves of all finishes with steps of the parameter.
std::array<Finishes, multiples.size()> around(const Chain& chain, const Parameter& parameter,
                                              std::int64_t step) {
  std::array<Finishes, multiples.size()> result;
  for (std::size_t c = 0; c < multiples.size(); ++c)
    result[c] = finishes(chain, changed(chain.batch.cluster, parameter, step * multiples[c]));
  return result;
}

// Several arrivals between two looks may together be late by whole polls, and then look like none. Changes by whole
// polls distinguish them: false if these do not show a difference either.
bool differs_by_polls(const Chain& chain, const Path& path, const Finishes& now, std::size_t rank,
                      std::size_t i) {
  if (path.poll == Interval() || !parameters[i].moves_looks) return true;
  const std::int64_t poll = Costs(chain.batch.cluster, chain.batch.ranks).poll().picoseconds();
  const auto moved = moves(around(chain, parameters[i], poll), now, rank, 0);
  const double got = parameters[i].derivative(path, chain.batch.ranks) * static_cast<double>(poll);
  return moved && !alike(got, *moved, 0);
}

// Compares the ranks whose path has `between_looks`, or the others; each move up to `within` picoseconds and a
// hundredth.
std::optional<Difference> compare_moves(const Chain& chain, const record::RunSummary& record,
                                        const Finishes& now, std::size_t i, std::int64_t step, double within,
                                        bool between, DerivativeCounts& counts) {
  const Cluster& cluster = chain.batch.cluster;
  const int ranks = chain.batch.ranks;
  const Interval poll = Costs(cluster, ranks).poll();
  const auto counted = [&](const record::RankSummary& rank) {
    return between_looks(rank.path, poll) == between;
  };
  if (std::none_of(record.ranks.begin(), record.ranks.end(), counted)) return std::nullopt;
  const auto moved_to = around(chain, parameters[i], step);
  for (std::size_t r = 0; r < record.ranks.size(); ++r) {
    if (!counted(record.ranks[r])) continue;
    const auto moved = moves(moved_to, now, r, within);
    if (!moved) continue;
    const double got = parameters[i].derivative(record.ranks[r].path, ranks) * static_cast<double>(step);
    if (!alike(got * multiples.back(), *moved * multiples.back(), within)) {
      if (within == 0 && !between && !differs_by_polls(chain, record.ranks[r].path, now, r, i)) continue;
      return difference(chain, r, parameters[i].name, *moved, got);
    }
    const bool seen = std::abs(*moved * multiples.back()) > within;
    counts.by[i] += seen;
    counts.changing += seen && !cluster.steady();
    counts.polled += seen && between;
  }
  return std::nullopt;
}

std::optional<Difference> compare_derivatives(const Chain& chain, const record::RunSummary& record,
                                              const Finishes& now, DerivativeCounts& counts) {
  const Cluster& cluster = chain.batch.cluster;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    // Costs are whole picoseconds: a shift below that shows only for longer ones.
    const bool exact = cluster.steady() && !parameters[i].rounded;
    const double far = parameters[i].rounded ? 300 : 70, within = exact ? 0 : far / 7;
    double most = 0;
    for (const record::RankSummary& rank : record.ranks)
      most = std::max(most, std::abs(parameters[i].derivative(rank.path, chain.batch.ranks)));
    const std::int64_t step = exact || most == 0 ? 1 : std::max<std::int64_t>(1, std::llround(far / most));
    // Links that are slower for some time have G in whole femtoseconds.
    if (parameters[i].rounded && !cluster.link_events.empty() && step < 50) continue;
    if (auto different = compare_moves(chain, record, now, i, step, within, false, counts)) return different;
    if (!exact || !parameters[i].moves_looks) continue;
    const std::int64_t poll = Costs(cluster, chain.batch.ranks).poll().picoseconds();
    if (auto different = compare_moves(chain, record, now, i, poll, 0, true, counts)) return different;
  }
  return std::nullopt;
}

}  // namespace

const std::array<const char*, parameter_count> parameter_names = [] {
  std::array<const char*, parameter_count> names{};
  for (std::size_t i = 0; i < parameters.size(); ++i) names[i] = parameters[i].name;
  return names;
}();

std::optional<Difference> compare_paths(const Chain& chain, const record::RunSummary& record,
                                        DerivativeCounts* counts) {
  const std::size_t ranks = record.ranks.size();
  Finishes now;
  for (const record::RankSummary& rank : chain.finish) now.push_back(rank.finish);
  for (std::size_t r = 0; r < ranks; ++r) {
    const std::int64_t sum = record.ranks[r].path.total().picoseconds();
    if (sum != now[r].picoseconds())
      return difference(chain, r, "sum of causes", static_cast<double>(now[r].picoseconds()),
                        static_cast<double>(sum));
    // The last cost of a rank whose node failed may be partial; a failure is known at least 1 ps later.
    const bool whole =
        !chain.finish[r].failed && !(chain.noticing && chain.batch.cluster.network.latency == Interval());
    if (whole &&
        !causes_fit(record.ranks[r].path, chain.batch.cluster, static_cast<int>(ranks), chain.batch.cancels))
      return Difference{chain.first,
                        "rank " + std::to_string(r) + ": counts do not fit the causes of its path\n"};
  }
  return counts && !shares(chain.batch.cluster) ? compare_derivatives(chain, record, now, *counts)
                                                : std::nullopt;
}

}  // namespace emu::reference
