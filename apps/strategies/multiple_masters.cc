#include "multiple_masters.h"

#include "single_master.h"
#include "transfer.h"

namespace strategies {
namespace {

constexpr int collect_tag = 3;

// Calls `visit` with each task of a share in order.
template <class Visit>
void each_task(const Share& share, Visit visit) {
  Dealer tasks(share);
  for (Range task = tasks.next(); task.count != 0; task = tasks.next()) visit(task);
}

// Copies the results of a share to consecutive memory, in which they are sent to rank 0, and from there to their
// places.
std::vector<std::byte> take_out(const Share& share, std::span<std::byte> results, std::size_t item_bytes) {
  std::vector<std::byte> packed;
  each_task(share, [&](Range task) {
    const auto place = part(results, task, item_bytes);
    packed.insert(packed.end(), place.begin(), place.end());
  });
  return packed;
}

void put_back(const Share& share, std::span<const std::byte> packed, std::span<std::byte> results,
              std::size_t item_bytes) {
  each_task(share, [&](Range task) {
    const auto place = part(results, task, item_bytes);
    std::copy_n(packed.begin(), place.size(), place.begin());
    packed = packed.subspan(place.size());
  });
}

std::size_t bytes_in(const Share& share, std::size_t item_bytes) {
  std::size_t bytes = 0;
  each_task(share, [&](Range task) { bytes += task.count * item_bytes; });
  return bytes;
}

}  // namespace

Outcome run_multiple_masters(const Workload& workload, const MultipleMasters& plan, bool go, MPI_Comm comm) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  int going = go;
  MPI_Bcast(&going, 1, MPI_INT, 0, comm);
  if (!going) return {};

  const int group = group_of(rank, ranks, plan.masters);
  const Range all{0, workload.items()};
  const auto share = [&](int master) {
    return share_of(master, plan.masters, plan.dealing, plan.task_items, all);
  };
  const Share own = share(group);
  const std::size_t item_bytes = workload.item_bytes();
  MPI_Comm members = MPI_COMM_NULL;
  MPI_Comm_split(comm, group, rank, &members);
  const bool is_master = rank == begin_of(ranks, plan.masters, group);
  Outcome outcome;
  if (is_master) outcome.results.resize(all.count * item_bytes);
  run_single_master(workload, own, outcome.results, members);
  MPI_Comm_free(&members);

  if (rank != 0) {
    if (is_master) send_bytes(take_out(own, outcome.results, item_bytes), 0, collect_tag, comm);
    return {};
  }
  outcome.masters.resize(all.count);
  for (int other = 0; other < plan.masters; ++other) {
    const Share theirs = share(other);
    const int master = begin_of(ranks, plan.masters, other);
    if (other != 0) {
      std::vector<std::byte> packed(bytes_in(theirs, item_bytes));
      receive_bytes(packed, master, collect_tag, comm);
      put_back(theirs, packed, outcome.results, item_bytes);
    }
    each_task(theirs,
              [&](Range task) { std::fill_n(outcome.masters.begin() + task.first, task.count, master); });
  }
  return outcome;
}

}  // namespace strategies
