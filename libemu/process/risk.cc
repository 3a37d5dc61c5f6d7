// What the target says of nodes that fail or are slow: include/emu/risk.h.
#include "emu/risk.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mpi/entry.h"

namespace {

using emu::mpi::process;

std::vector<bool> at_risk() {
  const emu::target::Target& target = process->target;
  const std::vector<int> nodes = target.place(process->size);
  std::vector<std::int64_t> speeds;
  speeds.reserve(nodes.size());
  for (const int node : nodes) speeds.push_back(target.speed(node).at(emu::Instant{}));
  std::vector<std::int64_t> sorted = speeds;
  const auto median = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), median, sorted.end());
  std::vector<bool> risky(nodes.size());
  for (std::size_t rank = 0; rank < nodes.size(); ++rank)
    risky[rank] = !target.outages_of(nodes[rank]).list().empty() || 2 * speeds[rank] <= *median;
  return risky;
}

}  // namespace

extern "C" int emu_is_at_risk(int rank) {
  if (!emu::mpi::active() || emu::mpi::inside()) return 0;
  const emu::mpi::Entry entry("emu_rank_at_risk");
  if (rank < 0 || rank >= process->size)
    emu::mpi::stop_job("rank " + std::to_string(process->number) + ": emu_rank_at_risk: rank " +
                           std::to_string(rank) + " is none of 0 to " + std::to_string(process->size - 1),
                       2);
  static const auto& risky = *new std::vector<bool>(at_risk());  // the target stays
  return risky[static_cast<std::size_t>(rank)] ? 1 : 0;
}
