#include "advice/on_target.h"

namespace emu::advice {

std::vector<Worker> workers_of(const model::Network& network, int master, const std::vector<int>& ranks,
                               const MessageSizes& bytes) {
  const auto travel = [&](int from, int to, model::Bytes k) {
    const model::Route route = network.route(from, to, k, Instant::start());
    return route.latency + route.occupancy;
  };
  std::vector<Worker> workers;
  for (const int rank : ranks) {
    Worker worker;
    worker.receive = network.receive_overhead(rank, master, bytes.request).seconds();
    worker.send = network.send_overhead(master, rank, bytes.chunk).seconds();
    // The worker reads its clock before and after the work.
    worker.there = (travel(master, rank, bytes.chunk) + network.receive_overhead(master, rank, bytes.chunk) +
                    network.poll())
                       .seconds();
    worker.back = (network.poll() + network.send_overhead(rank, master, bytes.request) +
                   travel(rank, master, bytes.request))
                      .seconds();
    workers.push_back(worker);
  }
  return workers;
}

}  // namespace emu::advice
