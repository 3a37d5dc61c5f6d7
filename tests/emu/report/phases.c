/* A program in phases for tests of emu report: named intervals, nested, by both interfaces; every kind of
 * communication; one step in which all ranks take longer; work of rank 0 only. */
#include <emu/emu.h>
#include <mpi.h>

int main(int argc, char** argv) {
  static char buffer[200000];
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int step = 0; step < 20; ++step) {
    MPI_Pcontrol(1, "step");
    emu_interval_begin("solve");
    emu_compute(0.001 * (1 + rank + (step == 7 ? 5 : 0)));
    emu_interval_end("solve");
    MPI_Pcontrol(1, "exchange");
    MPI_Request r[2];
    MPI_Irecv(buffer, 1000, MPI_CHAR, (rank + size - 1) % size, 0, MPI_COMM_WORLD, r);
    MPI_Isend(buffer + 100000, 1000, MPI_CHAR, (rank + 1) % size, 0, MPI_COMM_WORLD, r + 1);
    emu_compute(0.0002);
    MPI_Wait(r, MPI_STATUS_IGNORE);
    MPI_Wait(r + 1, MPI_STATUS_IGNORE);
    MPI_Pcontrol(-1, "exchange");
    double x = rank, y;
    MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (step % 5 == 0) MPI_Bcast(buffer, 150000, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Pcontrol(1); /* no interval: it has no name */
    MPI_Pcontrol(0);
    MPI_Pcontrol(-1, "step");
  }
  if (rank == 0) emu_compute(0.01);
  MPI_Alltoall(buffer, 100, MPI_CHAR, buffer + 100000, 100, MPI_CHAR, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  if (argc > 1) emu_interval_end("never begun");
  MPI_Finalize();
  return 0;
}
