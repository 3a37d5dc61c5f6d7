/* algorithms OPERATION BYTES [own | ordered]: one collective operation, whose result is checked. With `own`, a
 * reduction uses an operation of the program that commutes; with `ordered`, one that is declared not to commute. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most = 1 << 16 };
static double given[most], got[most];

static void add(void* from, void* into, int* n, MPI_Datatype* type) {
  const double* const a = from;
  double* const b = into;
  (void)type;
  for (int i = 0; i < *n; ++i) b[i] += a[i];
}

int main(int argc, char** argv) {
  int rank, size, wrong = 0;
  MPI_Op sum = MPI_SUM;
  MPI_Init(&argc, &argv);
  if (argc < 3) MPI_Abort(MPI_COMM_WORLD, 2);
  if (argc > 3) MPI_Op_create(add, strcmp(argv[3], "own") == 0, &sum);
  const int n = atoi(argv[2]) / 8;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < most; ++i) given[i] = rank + i;
  int counts[64], displacements[64];
  for (int i = 0; i < size; ++i) {
    counts[i] = n;
    displacements[i] = i * n;
  }
#define IS(name) (strcmp(argv[1], name) == 0)
  if (IS("barrier")) MPI_Barrier(MPI_COMM_WORLD);
  if (IS("bcast")) {
    memcpy(got, given, sizeof got);
    MPI_Bcast(got, n, MPI_DOUBLE, 1, MPI_COMM_WORLD);
    for (int i = 0; i < n; ++i) wrong += got[i] != 1 + i;
  }
  if (IS("reduce") || IS("allreduce")) {
    if (IS("reduce")) MPI_Reduce(given, got, n, MPI_DOUBLE, sum, 0, MPI_COMM_WORLD);
    if (IS("allreduce")) MPI_Allreduce(given, got, n, MPI_DOUBLE, sum, MPI_COMM_WORLD);
    if (rank == 0 || IS("allreduce"))
      for (int i = 0; i < n; ++i) wrong += got[i] != size * (size - 1) / 2 + size * i;
  }
  if (IS("reduce_scatter") || IS("reduce_scatter_block")) {
    if (IS("reduce_scatter")) MPI_Reduce_scatter(given, got, counts, MPI_DOUBLE, sum, MPI_COMM_WORLD);
    if (IS("reduce_scatter_block")) MPI_Reduce_scatter_block(given, got, n, MPI_DOUBLE, sum, MPI_COMM_WORLD);
    for (int i = 0; i < n; ++i) wrong += got[i] != size * (size - 1) / 2 + size * (rank * n + i);
  }
  if (IS("gather")) {
    MPI_Gather(given, n, MPI_DOUBLE, got, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < n * size; ++i) wrong += got[i] != i / n + i % n;
  }
  if (IS("scatter")) {
    MPI_Scatter(given, n, MPI_DOUBLE, got, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 0; i < n; ++i) wrong += got[i] != rank * n + i;
  }
  if (IS("allgather") || IS("allgatherv")) {
    if (IS("allgather")) MPI_Allgather(given, n, MPI_DOUBLE, got, n, MPI_DOUBLE, MPI_COMM_WORLD);
    if (IS("allgatherv"))
      MPI_Allgatherv(given, n, MPI_DOUBLE, got, counts, displacements, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int i = 0; i < n * size; ++i) wrong += got[i] != i / n + i % n;
  }
  if (IS("alltoall")) {
    MPI_Alltoall(given, n, MPI_DOUBLE, got, n, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int i = 0; i < n * size; ++i) wrong += got[i] != i / n + rank * n + i % n;
  }
  if (wrong) fprintf(stderr, "%s: %d wrong\n", argv[1], wrong);
  MPI_Finalize();
  return wrong != 0;
}
