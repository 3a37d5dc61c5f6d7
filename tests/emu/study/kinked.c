/* A program for tests of `emu study` whose critical path changes with the latency: with 4 ranks, the first two
 * compute and send little, the other two send much. */
#include <emu/emu.h>
#include <mpi.h>
#include <stddef.h>

static void exchange(int rank, int messages) {
  for (int i = 0; i < messages; ++i) {
    if (i % 2 == rank % 2)
      MPI_Send(NULL, 0, MPI_INT, rank ^ 1, 0, MPI_COMM_WORLD);
    else
      MPI_Recv(NULL, 0, MPI_INT, rank ^ 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const double work = size == 4 ? 45e-6 : size == 5 ? 52e-6 : 90e-6;
  if (rank == 0) emu_compute(work);
  if (rank < 2) exchange(rank, size == 4 ? 5 : size == 5 ? 4 : 3);
  if (size == 4 && rank >= 2) exchange(rank, 40);
  MPI_Finalize();
  return 0;
}
