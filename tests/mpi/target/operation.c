// operation BYTES COMMUTES: a reduction and an all-reduction of BYTES bytes by an operation that computes 1000 ps each
// time it is applied, and 1 ps for each element; every rank prints the end of each.
#include <emu/emu.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void add(void* from, void* into, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int*)into)[i] += ((int*)from)[i];
  emu_compute(1000e-12);
  emu_compute(*count * 1e-12);
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Op own;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int count = argc > 1 ? atoi(argv[1]) / 4 : 1;
  int* const mine = malloc((size_t)count * sizeof(int));
  int* const sums = malloc((size_t)count * sizeof(int));
  for (int i = 0; i < count; ++i) mine[i] = rank + i;
  MPI_Op_create(add, argc > 2, &own);
  MPI_Reduce(mine, sums, count, MPI_INT, own, 0, MPI_COMM_WORLD);
  const long long reduced = emu_picoseconds();
  MPI_Allreduce(mine, sums, count, MPI_INT, own, MPI_COMM_WORLD);
  const long long all_reduced = emu_picoseconds();
  for (int i = 0; i < count; ++i)
    if (sums[i] != ranks * (ranks - 1) / 2 + ranks * i) printf("%d: wrong sum\n", rank);
  printf("%d: %lld %lld\n", rank, reduced, all_reduced);
  MPI_Reduce(mine, sums, count, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);  // costs its messages only
  MPI_Op_free(&own);
  free(mine);
  free(sums);
  MPI_Finalize();
  return 0;
}
