/* overlap: a barrier and 1 s of work, concurrently and not. Prints picoseconds to standard output. Two ranks. */
#include <emu/emu.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const long long begin = emu_picoseconds();
  MPI_Barrier(MPI_COMM_WORLD);
  emu_compute(1);
  const long long one_by_one = emu_picoseconds() - begin;
  MPI_Barrier(MPI_COMM_WORLD);
  const long long middle = emu_picoseconds();
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  emu_compute(1);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  const long long both = emu_picoseconds() - middle;
  if (rank == 0) printf("%lld %lld\n", one_by_one, both);
  MPI_Finalize();
  return 0;
}
