#include "study/closed_form.h"

#include <cmath>

#include "model/network.h"

namespace emu::app::studies {
namespace {

model::Bytes whole(double bytes) { return static_cast<model::Bytes>(std::llround(bytes)); }

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

}  // namespace

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

}  // namespace emu::app::studies
