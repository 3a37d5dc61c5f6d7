// Counts for MPI_Scatterv on the target: include/emu/scatter.h.

#include "emu/scatter.h"

#include <climits>
#include <string>
#include <vector>

#include "process/call_scope.h"
#include "process/log.h"
#include "scatter/exact.h"
#include "scatter/on_target.h"
#include "scatter/order.h"

namespace {

using emu::mpi::process;

[[noreturn]] void refuse(const char* call, const std::string& what) {
  emu::mpi::stop_job(emu::mpi::of_rank(call) + what, 2);
}

void check_ranks(const char* call, int root, int ranks) {
  if (ranks != process->self.size)
    refuse(call, "invalid number of ranks: " + std::to_string(ranks) + " (expected " +
                     std::to_string(process->self.size) + ", the size of MPI_COMM_WORLD)");
  if (root < 0 || root >= ranks)
    refuse(call,
           "invalid root: " + std::to_string(root) + " (expected 0 to " + std::to_string(ranks - 1) + ")");
}

// The ranks in `order`, or in ascending order; the root last in any case, as it computes last.
std::vector<std::size_t> sending_order(const int* order, int root, int ranks) {
  std::vector<std::size_t> result;
  std::vector<bool> seen(static_cast<std::size_t>(ranks));
  for (int i = 0; i < ranks; ++i) {
    const int rank = order ? order[i] : i;
    if (rank < 0 || rank >= ranks || seen[static_cast<std::size_t>(rank)])
      refuse("emu_scatter_counts", "invalid order[" + std::to_string(i) + "]: " + std::to_string(rank) +
                                       " (expected each rank once)");
    seen[static_cast<std::size_t>(rank)] = true;
    if (rank != root) result.push_back(static_cast<std::size_t>(rank));
  }
  result.push_back(static_cast<std::size_t>(root));
  return result;
}

}  // namespace

extern "C" int emu_balanced_counts(long long items, long long item_bytes, double item_seconds, int root,
                                   int ranks, const int* order, int* counts, int* displacements) {
  using namespace emu::scatter;
  if (!emu::mpi::active() || emu::mpi::inside()) return 0;
  const emu::mpi::CallScope scope("emu_scatter_counts");
  constexpr const char* call = "emu_scatter_counts";
  check_ranks(call, root, ranks);
  if (items < 0 || items > INT_MAX)
    refuse(call, "invalid number of items: " + std::to_string(items) + " (expected 0 to " +
                     std::to_string(INT_MAX) + ")");
  const std::vector<std::size_t> sending = sending_order(order, root, ranks);
  const auto all = processors(process->target, ranks, root, {items, item_bytes, {item_seconds}});
  if (!all) refuse(call, all.error().message);
  if (process->target.scatter == emu::target::Scatter::uniform) return 0;
  // The best plan found in a second or two: on a target costs are affine, and it is almost always optimal.
  const auto found = nearly_exact({items, in_order(*all, sending)});
  if (!found) refuse(call, found.error().message);
  std::vector<int> of_rank(static_cast<std::size_t>(ranks));
  for (std::size_t i = 0; i < sending.size(); ++i)
    of_rank[sending[i]] = static_cast<int>(found->plan.parts[i].items);
  int begin = 0;
  for (int i = 0; i < ranks; ++i) {
    counts[i] = of_rank[static_cast<std::size_t>(order ? order[i] : i)];
    displacements[i] = begin;
    begin += counts[i];
  }
  return 1;
}

extern "C" void emu_bandwidth_order(long long item_bytes, int root, int ranks, int* order) {
  using namespace emu::scatter;
  if (!emu::mpi::active() || emu::mpi::inside()) return;
  const emu::mpi::CallScope scope("emu_scatter_order");
  check_ranks("emu_scatter_order", root, ranks);
  const Items items = ranks;  // one item for each rank, enough to distinguish the links
  const auto all = processors(process->target, ranks, root, {items, item_bytes, {0.0}});
  if (!all) refuse("emu_scatter_order", all.error().message);
  for (const std::size_t rank : by_bandwidth(*all, static_cast<std::size_t>(root), items))
    *order++ = static_cast<int>(rank);
}
