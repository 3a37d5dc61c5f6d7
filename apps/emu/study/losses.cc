#include "study/losses.h"

#include <algorithm>
#include <cmath>

#include "model/network.h"

namespace emu::app::studies {
namespace {

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

model::Bytes whole(double bytes) { return static_cast<model::Bytes>(std::llround(bytes)); }

// Costs of a message at its sender and its receiver, with its handshake.
struct TripCost {
  double send = 0, receive = 0, latency = 0, per_byte = 0;
};

TripCost trip_cost(const model::Network& network, int from, int to, double bytes) {
  const model::Bytes k = whole(bytes);
  const Instant at = Instant::start();  // links at the start
  const model::Route there = network.route(from, to, k, at);
  const auto [send, flight] = network.passage(from, to, k, at);
  TripCost result{send.seconds(), network.receive_overhead(from, to, k).seconds(), there.latency.seconds(),
                  (flight - there.latency).seconds()};
  if (network.eager(from, to, k)) return result;
  if (network.gets(from, to, k)) {  // the receiver reads, and pays for the send
    result.receive += result.send;
    result.send = 0;
  }
  // A request, and its answer or acknowledgement.
  result.send += (network.control_send(from, to) + network.control_receive(to, from)).seconds();
  result.receive += (network.control_receive(from, to) + network.control_send(to, from)).seconds();
  const model::Route back = network.route(to, from, 1, at);
  const model::Route request = network.route(from, to, 1, at);
  result.latency = (request.latency + there.latency + back.latency + network.further_trips(back)).seconds();
  return result;
}

void add(TripCost& sum, const TripCost& one, double share) {
  sum.send += one.send * share;
  sum.receive += one.receive * share;
  sum.latency += one.latency * share;
  sum.per_byte += one.per_byte * share;
}

// A task and a result, averaged over the slaves.
struct RoundTrip {
  TripCost task, result;
};

RoundTrip round_trip(const OneMaster& job, const target::Target& target, int ranks) {
  const model::Network network(target.network, target.topology(ranks));
  const int master = job.rank < ranks ? job.rank : 0;
  const double share = 1.0 / std::max(1, ranks - 1);
  RoundTrip trip;
  for (int slave = 0; slave < ranks; ++slave) {
    if (slave == master) continue;
    add(trip.task, trip_cost(network, master, slave, job.task_bytes), share);
    add(trip.result, trip_cost(network, slave, master, job.result_bytes), share);
  }
  return trip;
}

double overheads(const record::Breakdown& time) {
  return (time.send_overhead + time.receive_overhead + time.handshake).seconds();
}

}  // namespace

ClosedForm closed_form(const OneMaster& job, const target::Target& target, int ranks) {
  const auto [task, result] = round_trip(job, target, ranks);
  const auto n = static_cast<double>(job.results);
  const double both_ways = task.send + task.latency + task.per_byte + task.receive + result.send +
                           result.latency + result.per_byte + result.receive;
  ClosedForm form;
  form.master = job.master_work + n * result.receive + static_cast<double>(job.tasks) * task.send;
  form.slaves = (job.slaves_work + n * both_ways) / std::max(1, ranks - 1);
  return form;
}

Losses losses(const OneMaster& job, const record::RunSummary& run, const target::Target& target) {
  const double total = run.predicted().seconds(), all = total * job.slaves;
  const auto [task, result] = round_trip(job, target, job.slaves + 1);
  Losses lost;
  double wait = 0;
  for (std::size_t i = 0; i < run.ranks.size(); ++i) {
    const record::RankSummary& rank = run.ranks[i];
    if (static_cast<int>(i) == job.rank) continue;
    if (rank.time.compute == Interval() && job.slaves_work > 0) {
      lost.without_task += ratio(total, all);
      continue;
    }
    lost.compute += ratio(rank.time.compute.seconds(), all);
    lost.overhead += ratio(overheads(rank.time), all);
    lost.poll += ratio(rank.time.poll.seconds(), all);
    lost.end += ratio(total - rank.finish.seconds(), all);
    wait += ratio(rank.time.wait.seconds(), all);
  }
  const auto n = static_cast<double>(job.results);
  lost.latency = std::min(wait, ratio(n * (task.latency + result.latency), all));
  lost.per_byte = std::min(wait - lost.latency, ratio(n * (task.per_byte + result.per_byte), all));
  lost.queue = wait - lost.latency - lost.per_byte;
  const double each = n / job.slaves;
  lost.rounding = 1 - each / std::ceil(each);
  const record::Breakdown& master = run.ranks[job.rank].time;
  lost.master_busy = ratio((master.busy() - master.poll).seconds(), total);
  if (target.network.card == model::Card::serial)
    lost.card = ratio(std::max(n * result.per_byte, static_cast<double>(job.tasks) * task.per_byte), total);
  return lost;
}

Shares shares(const record::RunSummary& run) {
  Shares share;
  const int last = run.last();
  if (last < 0) return share;
  const double total = run.predicted().seconds();
  for (const record::RankSummary& rank : run.ranks)
    share.compute += ratio(rank.time.compute.seconds(), total * static_cast<double>(run.ranks.size()));
  const record::Path& path = run.ranks[static_cast<std::size_t>(last)].path;
  share.imbalance = ratio(spent(path, record::Category::work).seconds(), total) - share.compute;
  share.latency = ratio(spent(path, record::Category::latency).seconds(), total);
  share.per_byte = ratio(spent(path, record::Category::bytes).seconds(), total);
  share.poll = ratio(path.poll.seconds(), total);
  share.overhead = ratio((spent(path, record::Category::overhead) - path.poll).seconds(), total);
  return share;
}

double polling(const record::RunSummary& run) {
  double polls = 0, all = 0;
  for (const record::RankSummary& rank : run.ranks) {
    polls += rank.time.poll.seconds();
    all += (rank.finish - Instant::start()).seconds();
  }
  return ratio(polls, all);
}

}  // namespace emu::app::studies
