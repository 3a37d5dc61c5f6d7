#include "single_master.h"

#include <cstring>
#include <vector>

namespace strategies {
namespace {

constexpr int task_tag = 1;
constexpr int result_tag = 2;
constexpr std::size_t header_bytes = sizeof(Range);
static_assert(header_bytes == 8, "a task is 8 bytes on the wire");

void send_task(Range task, int slave, MPI_Comm comm) {
  MPI_Send(&task, header_bytes, MPI_BYTE, slave, task_tag, comm);
}

void alone(const Workload& workload, Dealer tasks, std::span<std::byte> results) {
  for (Range task = tasks.next(); task.count != 0; task = tasks.next()) {
    workload.compute(task, part(results, task, workload.item_bytes()));
  }
}

void master(const Workload& workload, Dealer tasks, std::int32_t task_items, std::span<std::byte> results,
            int ranks, MPI_Comm comm) {
  std::vector<std::byte> message(header_bytes + task_items * workload.item_bytes());
  int working = 0;
  for (int slave = 0; slave < ranks; ++slave) {
    if (slave == master_rank) continue;
    const Range task = tasks.next();
    send_task(task, slave, comm);
    if (task.count != 0) ++working;
  }
  while (working != 0) {
    MPI_Status status;
    MPI_Recv(message.data(), static_cast<int>(message.size()), MPI_BYTE, MPI_ANY_SOURCE, result_tag, comm,
             &status);
    const Range next = tasks.next();
    send_task(next, status.MPI_SOURCE, comm);  // before storing, because the slave waits for it
    if (next.count == 0) --working;
    Range done;
    std::memcpy(&done, message.data(), header_bytes);
    const std::span<std::byte> place = part(results, done, workload.item_bytes());
    std::memcpy(place.data(), message.data() + header_bytes, place.size());
  }
}

void slave(const Workload& workload, std::int32_t task_items, MPI_Comm comm) {
  std::vector<std::byte> message(header_bytes + task_items * workload.item_bytes());
  while (true) {
    Range task;
    MPI_Recv(&task, header_bytes, MPI_BYTE, master_rank, task_tag, comm, MPI_STATUS_IGNORE);
    if (task.count == 0) return;
    const std::size_t size = task.count * workload.item_bytes();
    workload.compute(task, std::span(message).subspan(header_bytes, size));
    std::memcpy(message.data(), &task, header_bytes);
    MPI_Send(message.data(), static_cast<int>(header_bytes + size), MPI_BYTE, master_rank, result_tag, comm);
  }
}

}  // namespace

void run_single_master(const Workload& workload, const Share& share, std::span<std::byte> results,
                       MPI_Comm comm) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  if (rank != master_rank) return slave(workload, share.items, comm);
  if (ranks == 1) return alone(workload, Dealer(share), results);
  master(workload, Dealer(share), share.items, results, ranks, comm);
}

}  // namespace strategies
