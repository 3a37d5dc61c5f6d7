// A program whose course depends on the order of arrivals in every way that MPI offers: a
// master that deals tasks to the first rank that answers (MPI_ANY_SOURCE), one that polls
// (MPI_Iprobe, MPI_Test), one that waits for any of several requests (MPI_Waitany), and
// collectives in between. Its work is declared and uneven. It prints a digest of the order.
//
//   dynamic [TASKS]
#include <emu/emu.h>
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int task_tag = 1, result_tag = 2, stop_tag = 3, note_tag = 4;
int self, size;
std::uint64_t digest = 14695981039346656037u;

void note(int what) { digest = (digest ^ static_cast<std::uint64_t>(what)) * 1099511628211u; }

// Uneven costs, different for every task, equal in every run.
double cost(int task) { return 1e-6 * static_cast<double>(static_cast<unsigned>(task) * 2654435761u % 997); }

void slave() {
  for (;;) {
    std::int64_t task = 0;
    MPI_Status status;
    MPI_Recv(&task, 1, MPI_INT64_T, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_TAG == stop_tag) return;
    emu_compute(cost(static_cast<int>(task)));
    // Every seventh result is so long that it needs a handshake.
    std::vector<char> result(task % 7 == 0 ? 70000 : 40);
    if (task % 3 == 0) {
      MPI_Request request;
      MPI_Isend(result.data(), static_cast<int>(result.size()), MPI_CHAR, 0, result_tag, MPI_COMM_WORLD,
                &request);
      int done = 0;
      while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    } else {
      MPI_Send(result.data(), static_cast<int>(result.size()), MPI_CHAR, 0, result_tag, MPI_COMM_WORLD);
    }
  }
}

// Waits for the next result, with polling or without.
MPI_Status next_result(bool polling) {
  static std::vector<char> result(70000);
  MPI_Status status;
  int found = 0;
  while (polling && !found) {
    MPI_Iprobe(MPI_ANY_SOURCE, result_tag, MPI_COMM_WORLD, &found, &status);
    if (!found) emu_compute(2e-6);
  }
  MPI_Recv(result.data(), static_cast<int>(result.size()), MPI_CHAR,
           polling ? status.MPI_SOURCE : MPI_ANY_SOURCE, result_tag, MPI_COMM_WORLD, &status);
  return status;
}

void master(int tasks, bool polling) {
  std::int64_t given = 0;
  int busy = 0;
  const auto give = [&](int to) {
    MPI_Send(&given, 1, MPI_INT64_T, to, given < tasks ? task_tag : stop_tag, MPI_COMM_WORLD);
    if (given < tasks) ++given, ++busy;
  };
  for (int to = 1; to < size; ++to) give(to);
  while (busy > 0) {
    const MPI_Status status = next_result(polling);
    --busy;
    note(status.MPI_SOURCE);
    give(status.MPI_SOURCE);
  }
}

// Each rank sends to all others, and receives in the order of arrival.
void exchange(int round) {
  std::vector<int> in(static_cast<std::size_t>(size)), out(static_cast<std::size_t>(size), round);
  std::vector<MPI_Request> requests;
  for (int from = 0; from < size; ++from) {
    requests.emplace_back();
    MPI_Irecv(&in[static_cast<std::size_t>(from)], 1, MPI_INT, from, note_tag, MPI_COMM_WORLD,
              &requests.back());
  }
  emu_compute(cost(round * size + self));
  for (int i = 0; i < size; ++i) {
    const int to = (self + i) % size;
    MPI_Send(&out[static_cast<std::size_t>(to)], 1, MPI_INT, to, note_tag, MPI_COMM_WORLD);
  }
  for (int i = 0; i < size; ++i) {
    int which;
    MPI_Waitany(size, requests.data(), &which, MPI_STATUS_IGNORE);
    note(which);
    emu_compute(1e-6);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int tasks = argc > 1 ? std::atoi(argv[1]) : 100;
  for (int round = 0; round < 4; ++round) {
    if (self == 0)
      master(tasks, round % 2 == 1);
    else
      slave();
    exchange(round);
    std::uint64_t all = 0;
    MPI_Allreduce(&digest, &all, 1, MPI_UINT64_T, MPI_BXOR, MPI_COMM_WORLD);
    note(static_cast<int>(all >> 32));
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (self == 0) std::printf("%016llx\n", static_cast<unsigned long long>(digest));
  MPI_Finalize();
  return 0;
}
