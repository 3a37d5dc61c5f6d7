// Two threads of each rank exchange messages and reduce, each on its own communicators, in a program that may cancel
// sends. A receive then begins only when all earlier events are certain, and the other thread continues during the wait
// for that.
#include <thread>

#include "answers.h"

namespace {

int rank, size;

long long exchange(MPI_Comm comm, int thread) {
  constexpr int count = 32;
  const int before = (rank + size - 1) % size, behind = (rank + 1) % size;
  long long sum = 0;
  for (int round = 0; round < 10; ++round) {
    int out[2 * count], in[2 * count] = {};
    for (int k = 0; k < 2 * count; ++k) out[k] = rank * 1000 + round * 10 + thread + k;
    MPI_Request requests[4];
    MPI_Irecv(in, count, MPI_INT, before, 7, comm, &requests[0]);
    MPI_Irecv(in + count, count, MPI_INT, behind, 8, comm, &requests[1]);
    MPI_Isend(out, count, MPI_INT, behind, 7, comm, &requests[2]);
    MPI_Isend(out + count, count, MPI_INT, before, 8, comm, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    for (const int value : in) sum += value;
    long long all = 0;
    MPI_Allreduce(&sum, &all, 1, MPI_LONG_LONG, MPI_SUM, comm);
    sum += all % 1000;
    if (round % 5 != 4) continue;
    MPI_Comm part;
    MPI_Comm_split(comm, rank % 2, rank, &part);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_LONG_LONG, MPI_MAX, part);
    MPI_Comm_free(&part);
  }
  return sum;
}

// Also a probe, and a receive from any source.
long long gather(MPI_Comm comm) {
  long long sum = 0;
  for (int round = 0; round < 10; ++round) {
    const int master = round % size, mine = rank * 100 + round;
    if (rank != master) {
      MPI_Send(&mine, 1, MPI_INT, master, round, comm);
      continue;
    }
    for (int i = 1; i < size; ++i) {
      MPI_Status status;
      int value = 0;
      MPI_Probe(MPI_ANY_SOURCE, round, comm, &status);
      MPI_Recv(&value, 1, MPI_INT, i % 2 == 0 ? MPI_ANY_SOURCE : status.MPI_SOURCE, round, comm,
               MPI_STATUS_IGNORE);
      sum += value;
    }
  }
  return sum;
}

// libemu knows that the program can cancel sends because the program refers to this function.
void take_back() {
  MPI_Request request;
  int there = 0;
  MPI_Isend(&there, 1, MPI_INT, rank, 99, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Status status;
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &there);
  if (!there) MPI_Recv(&there, 1, MPI_INT, rank, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  open_answers(rank);
  take_back();
  for (int round = 0; round < 3; ++round) {
    MPI_Comm comms[2];
    for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    long long sums[4] = {};
    const auto run = [&](int thread) {
      sums[2 * thread] = exchange(comms[thread], thread);
      sums[2 * thread + 1] = gather(comms[thread]);
    };
    std::thread other(run, 1);
    run(0);
    other.join();
    show("sums", sums, 4);
    for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  }
  MPI_Finalize();
}
