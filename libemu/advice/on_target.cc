#include "advice/on_target.h"

namespace emu::advice {

std::vector<Worker> workers_of(const model::Network& network, int master, const std::vector<int>& ranks,
                               const MessageSizes& bytes) {
  std::vector<Worker> workers;
  for (const int rank : ranks) {
    Worker worker;
    worker.receive = network.receive_overhead(rank, master, bytes.request).seconds();
    const auto chunk = network.passage(master, rank, bytes.chunk),
               request = network.passage(rank, master, bytes.request);
    worker.send = chunk.send.seconds();
    // The worker reads its clock before and after the work.
    worker.there =
        (chunk.flight + network.receive_overhead(master, rank, bytes.chunk) + network.poll()).seconds();
    worker.back = (network.poll() + request.send + request.flight).seconds();
    workers.push_back(worker);
  }
  return workers;
}

}  // namespace emu::advice
