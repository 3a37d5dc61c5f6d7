/* An MPI program with two threads of OpenMP. */
#include <mpi.h>
#include <omp.h>

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
#pragma omp parallel num_threads(2)
  omp_get_thread_num();
  MPI_Finalize();
  return 0;
}
