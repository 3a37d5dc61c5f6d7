/* A ring of messages, and further calls that a tracer of MPI calls records. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, ranks, got = -1, sum = 0, task = 0;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int round = 0; round < 5; ++round) {
    const int sent = 10 * rank + round;
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &request);
    MPI_Send(&sent, 1, MPI_INT, (rank + 1) % ranks, round, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Allreduce(&got, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) task = sum;
    MPI_Bcast(&task, 1, MPI_INT, 0, MPI_COMM_WORLD);
    printf("rank %d: %d %d\n", rank, got, task);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Finalize();
}
