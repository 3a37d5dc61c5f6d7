/* A program that uses emu.h and is linked with MPI alone. Included as C and as C++. */
#include <emu/emu.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const double begin = MPI_Wtime();
  emu_compute(1000);
  const int passed = MPI_Wtime() - begin > 500, active = emu_active();
  MPI_Finalize();
  printf("active %d, time passed %d\n", active, passed);
  return 0;
}
