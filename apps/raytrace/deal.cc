#include "deal.h"

#include <emu/scatter.h>

#include <algorithm>
#include <numeric>

namespace raytrace {
namespace {

constexpr int request_tag = 1;
constexpr int task_tag = 2;

int number_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

// The ranks in the order in which the root sends. In the order by rank, the root keeps its place.
std::vector<int> sending_order(const Options& options, int ranks) {
  std::vector<int> order(static_cast<std::size_t>(ranks));
  std::iota(order.begin(), order.end(), 0);
  if (options.order == Order::given) return order;
  emu_scatter_order(sizeof(Ray), options.root, ranks, order.data());
  if (options.order == Order::ascending)
    std::reverse(order.begin(), order.end() - 1);  // the root is the last
  return order;
}

struct Parts {
  std::vector<int> counts, displacements;
};
Parts parts(const Options& options, const std::vector<int>& order) {
  const int ranks = static_cast<int>(order.size());
  Parts result{order, order};
  if (options.distribution == Distribution::balanced) {
    emu_scatter_counts(options.rays, sizeof(Ray), options.ray_seconds, options.root, ranks, order.data(),
                       result.counts.data(), result.displacements.data());
    return result;
  }
  for (int i = 0, begin = 0; i < ranks; ++i) {
    const auto at = static_cast<std::size_t>(i);
    result.counts[at] = options.rays / ranks + (order[at] < options.rays % ranks ? 1 : 0);
    result.displacements[at] = begin;
    begin += result.counts[at];
  }
  return result;
}

Done slave(int root, const Trace& trace, double start) {
  Done done;
  Sums result;
  std::vector<Ray> task;
  while (true) {
    MPI_Send(&result, sizeof result, MPI_BYTE, root, request_tag, MPI_COMM_WORLD);
    MPI_Status status;
    MPI_Probe(root, task_tag, MPI_COMM_WORLD, &status);
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    task.resize(static_cast<std::size_t>(bytes) / sizeof(Ray));
    MPI_Recv(task.data(), bytes, MPI_BYTE, root, task_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (task.empty()) return done;
    result = trace(task);
    done.sums += result;
    done.seconds = MPI_Wtime() - start;
  }
}

void master(const std::vector<Ray>& rays, int chunk, int slaves) {
  std::size_t next = 0;
  for (int stopped = 0; stopped < slaves;) {
    Sums result;
    MPI_Status status;
    MPI_Recv(&result, sizeof result, MPI_BYTE, MPI_ANY_SOURCE, request_tag, MPI_COMM_WORLD, &status);
    const std::size_t count = std::min<std::size_t>(static_cast<std::size_t>(chunk), rays.size() - next);
    MPI_Send(rays.data() + next, static_cast<int>(count * sizeof(Ray)), MPI_BYTE, status.MPI_SOURCE, task_tag,
             MPI_COMM_WORLD);
    next += count;
    stopped += count == 0;
  }
}

}  // namespace

Done deal_parts(const std::vector<Ray>& rays, const Options& options, const Trace& trace) {
  const int rank = number_of(MPI_COMM_WORLD);
  const std::vector<int> order = sending_order(options, size_of(MPI_COMM_WORLD));
  const auto place = [&](int of) {
    return static_cast<int>(std::find(order.begin(), order.end(), of) - order.begin());
  };
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, 0, place(rank), &comm);
  const Parts all = parts(options, order);
  MPI_Datatype type;
  MPI_Type_contiguous(sizeof(Ray), MPI_BYTE, &type);
  MPI_Type_commit(&type);
  std::vector<Ray> own(static_cast<std::size_t>(all.counts[static_cast<std::size_t>(place(rank))]));

  MPI_Barrier(comm);
  const double start = MPI_Wtime();
  MPI_Scatterv(rays.data(), all.counts.data(), all.displacements.data(), type, own.data(),
               static_cast<int>(own.size()), type, place(options.root), comm);
  const Sums sums = trace(own);
  const Done done{sums, MPI_Wtime() - start};
  MPI_Type_free(&type);
  MPI_Comm_free(&comm);
  return done;
}

Done deal_tasks(const std::vector<Ray>& rays, const Options& options, const Trace& trace) {
  const int ranks = size_of(MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  if (ranks == 1) {
    const Sums sums = trace(rays);
    return {sums, MPI_Wtime() - start};
  }
  if (number_of(MPI_COMM_WORLD) != options.root) return slave(options.root, trace, start);
  master(rays, options.chunk, ranks - 1);
  return {};
}

}  // namespace raytrace
