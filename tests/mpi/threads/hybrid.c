/* Four threads of each rank declare concurrent work, and one of them calls MPI. Prints the virtual time that
 * passed, in microseconds, for four cases: all threads declare equal work; they declare one to four milliseconds;
 * one thread that does not call MPI declares work; there is one thread. */
#include <emu/emu.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { threads = 4 };
static pthread_barrier_t begin, end;
static double declared[threads];

static void* work(void* number) {
  for (int round = 0; round < 3; ++round) {
    pthread_barrier_wait(&begin);
    const double seconds = declared[(double*)number - declared];
    emu_compute(seconds / 2);
    emu_compute(seconds / 2);
    pthread_barrier_wait(&end);
  }
  return NULL;
}

static long long passed(void) {
  static long long last;
  const long long now = emu_picoseconds(), d = now - last;
  last = now;
  return d / 1000000;
}

int main(int argc, char** argv) {
  static const double rounds[3][threads] = {
      {2e-3, 2e-3, 2e-3, 2e-3}, {1e-3, 2e-3, 3e-3, 4e-3}, {0, 0, 3e-3, 0}};
  pthread_t others[threads];
  int provided, rank;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  pthread_barrier_init(&begin, NULL, threads);
  pthread_barrier_init(&end, NULL, threads);
  emu_compute(1e-3);
  const long long before = passed();
  for (int i = 1; i < threads; ++i) pthread_create(&others[i], NULL, work, &declared[i]);
  long long took[3];
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < threads; ++i) declared[i] = rounds[round][i];
    passed();
    pthread_barrier_wait(&begin);
    emu_compute(declared[0]);
    pthread_barrier_wait(&end);
    took[round] = passed();
  }
  for (int i = 1; i < threads; ++i) pthread_join(others[i], NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  passed();
  emu_compute(5e-3);
  const long long after = passed();
  char line[100];
  snprintf(line, sizeof line, "%d: %lld %lld %lld %lld %lld\n", rank, before, took[0], took[1], took[2],
           after);
  if (rank == 1) MPI_Send(line, sizeof line, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%s", line);
    MPI_Recv(line, sizeof line, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%s", line);
  }
  MPI_Finalize();
  return 0;
}
