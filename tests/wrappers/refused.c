/* Calls what libemu refuses; without a target it works as always. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  puts("passed");
  MPI_Finalize();
  return 0;
}
