/* Four threads of each rank work concurrently, each for 50 milliseconds of CPU time. Rank 0 prints the greatest
 * virtual time that passed on a rank, in milliseconds. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

/* A tenth of a millisecond or more between two readings of the clock, because a reading is not work. */
static void* work(void* unused) {
  struct timespec t;
  do {
    for (volatile int i = 0; i < 100000; ++i) continue;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  } while (t.tv_sec == 0 && t.tv_nsec < 50000000);
  return unused;
}

int main(int argc, char** argv) {
  pthread_t threads[4];
  int provided, rank;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const double begin = MPI_Wtime();
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  double took = 1000 * (MPI_Wtime() - begin), most;
  MPI_Reduce(&took, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%.3f\n", most);
  MPI_Finalize();
  return 0;
}
