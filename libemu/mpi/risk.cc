// What the target says of nodes that fail or are slow: include/emu/risk.h.
#include "emu/risk.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mpi/entry.h"

extern "C" int emu_is_at_risk(int rank) {
  using emu::mpi::process;
  if (!emu::mpi::active() || emu::mpi::inside()) return 0;
  const emu::mpi::Entry entry("emu_rank_at_risk");
  if (rank < 0 || rank >= process->size)
    emu::mpi::stop_job("rank " + std::to_string(process->number) + ": emu_rank_at_risk: rank " +
                           std::to_string(rank) + " is none of 0 to " + std::to_string(process->size - 1),
                       2);
  const emu::target::Target& target = process->target;
  const std::vector<int> nodes = target.place(process->size);
  const int node = nodes[static_cast<std::size_t>(rank)];
  if (!target.outages_of(node).list().empty()) return 1;
  std::vector<std::int64_t> speeds;
  speeds.reserve(nodes.size());
  for (const int each : nodes) speeds.push_back(target.speed(each).at(emu::Instant{}));
  const auto median = speeds.begin() + static_cast<std::ptrdiff_t>(speeds.size() / 2);
  std::nth_element(speeds.begin(), median, speeds.end());
  return 2 * target.speed(node).at(emu::Instant{}) <= *median ? 1 : 0;
}
