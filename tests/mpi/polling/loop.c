/* loop COUNT all|one: COUNT times every rank, or only rank 0, probes for a message, and there is none. Meanwhile
 * the others probe as well, or compute. scripts/bench measures this program. */
#include <emu/emu.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, found = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const long count = argc > 1 ? atol(argv[1]) : 0;
  const int all = argc > 2 && strcmp(argv[2], "all") == 0;
  if (rank != 0 && !all) emu_compute((double)count * 1e-6);
  for (long i = 0; i < count && (all || rank == 0); ++i)
    MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return found;
}
