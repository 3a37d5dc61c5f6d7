// Two ranks or more: says hello to the next one.
#include <emu/emu.h>
#include <mpi.h>

#include <cstdio>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size, value = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  emu_compute(0.001);
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;
  MPI_Sendrecv(&rank, 1, MPI_INT, to, 0, &value, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) std::printf("hello from %d\n", value);
  MPI_Finalize();
  return value == from ? 0 : 1;
}
