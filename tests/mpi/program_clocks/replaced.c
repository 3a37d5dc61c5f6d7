/* compute = "measured", three ranks: rank 0 works for some milliseconds, declares that this costs 10 us, and sends.
 * Rank 2 sends at 1 ms. Rank 1 receives from any source, and so from rank 0 first: no rank may count on work that
 * may be replaced. Prints the sources of rank 1's messages, for each of 20 rounds. */
#include <emu/emu.h>
#include <mpi.h>
#include <stdio.h>
#include <time.h>

static void work(double seconds) {
  struct timespec begin, now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  while ((double)(now.tv_sec - begin.tv_sec) + 1e-9 * (double)(now.tv_nsec - begin.tv_nsec) < seconds);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int round = 0; round < 20; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
      work(5e-3);
      emu_compute(10e-6);
      MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 2) {
      emu_compute(1e-3);
      MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
      int first = -1, second = -1;
      MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      printf("%d%d%s", first, second, round < 19 ? " " : "\n");
    }
  }
  MPI_Finalize();
  return 0;
}
