// reductions BYTES: the time of an all-reduction and of an allgather of BYTES bytes on each rank, in picoseconds.
#include <emu/emu.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int count = argc > 1 ? atoi(argv[1]) / 4 : 1;
  int* const mine = calloc((size_t)count, sizeof(int));
  int* const all = calloc((size_t)count * (size_t)ranks, sizeof(int));
  const long long begin = emu_picoseconds();
  MPI_Allreduce(mine, all, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  const long long reduced = emu_picoseconds();
  // All start at once again.
  emu_compute(1e-3 - 1e-12 * (double)reduced);
  const long long again = emu_picoseconds();
  MPI_Allgather(mine, count, MPI_INT, all, count, MPI_INT, MPI_COMM_WORLD);
  printf("%d: %lld %lld\n", rank, reduced - begin, emu_picoseconds() - again);
  free(mine);
  free(all);
  MPI_Finalize();
  return 0;
}
