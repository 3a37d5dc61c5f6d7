// Advice for a loop in the running program: include/emu/emu.h.

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "advice/c_loop.h"
#include "advice/on_target.h"
#include "process/call_scope.h"

namespace {

using emu::Result;
using emu::advice::Worker;
using emu::mpi::process;

Result<std::vector<int>> ranks_of(const emu_loop& loop) {
  const int self = process->self.number, size = process->self.size;
  std::vector<int> ranks;
  if (!loop.ranks) {
    for (int rank = 0; rank < size; ++rank)
      if (rank != self && static_cast<int>(ranks.size()) < loop.workers) ranks.push_back(rank);
    if (static_cast<int>(ranks.size()) < loop.workers)
      return emu::fail("invalid number of workers: " + std::to_string(loop.workers) + " (expected at most " +
                       std::to_string(size - 1) + ", the ranks of MPI_COMM_WORLD without the master)");
    return ranks;
  }
  for (int i = 0; i < loop.workers; ++i) {
    if (loop.ranks[i] < 0 || loop.ranks[i] >= size)
      return emu::fail("invalid ranks[" + std::to_string(i) + "]: " + std::to_string(loop.ranks[i]) +
                       " (expected 0 to " + std::to_string(size - 1) + ")");
    ranks.push_back(loop.ranks[i]);
  }
  return ranks;
}

// Message costs on the target, for an emulated program.
Result<std::vector<Worker>> costs_of(const emu_loop& loop) {
  const auto ranks = ranks_of(loop);
  if (!ranks) return tl::unexpected(ranks.error());
  return emu::advice::workers_of(*process->network, process->self.number, *ranks,
                                 {loop.request_bytes, loop.chunk_bytes});
}

}  // namespace

extern "C" int emu_find_advice(const emu_loop* loop, emu_advice* advice, char* message, size_t message_size) {
  const auto refuse = [&](const std::string& why) {
    if (message && message_size > 0) std::snprintf(message, message_size, "%s", why.c_str());
    return EMU_ADVICE_INVALID;
  };
  if (const auto good = emu::advice::check(*loop); !good) return refuse(good.error().message);
  // CPU time does not count until the scope ends.
  std::optional<emu::mpi::CallScope> scope;
  if (emu::mpi::active() && !emu::mpi::inside()) scope.emplace("emu_advise");
  auto costs = scope ? costs_of(*loop) : emu::advice::usual_costs(loop->workers);
  if (!costs) return refuse(costs.error().message);
  *advice = emu::advice::advise(*loop, std::move(*costs));
  return EMU_ADVICE_FOUND;
}
