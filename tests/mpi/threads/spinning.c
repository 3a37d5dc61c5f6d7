/* The first threads of ranks 0 and 1 spin, one on a word of memory, one on a lock, until another thread of the rank
 * has received rank 2's message of 10 ms from any source. Each rank's own message arrives after the
 * other rank has certainly acted. Prints when the spinning threads continue, in microseconds. */
#include <emu/emu.h>
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int here;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int here_too;

static void* receive(void* unused) {
  MPI_Recv(NULL, 0, MPI_CHAR, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  pthread_mutex_lock(&lock);
  here_too = 1;
  pthread_mutex_unlock(&lock);
  here = 1;
  return unused;
}

static void spin(int by_lock) {
  int over = 0;
  while (!over) {
    if (by_lock) pthread_mutex_lock(&lock);
    over = by_lock ? here_too : here;
    if (by_lock) pthread_mutex_unlock(&lock);
  }
}

int main(int argc, char** argv) {
  int provided, rank;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 2) {
    long long times[2];
    emu_compute(10e-3);
    for (int i = 0; i < 2; ++i) MPI_Send(NULL, 0, MPI_CHAR, i, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 2; ++i)
      MPI_Recv(&times[i], 1, MPI_LONG_LONG, i, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%lld %lld\n", times[0], times[1]);
  } else {
    pthread_t thread;
    pthread_create(&thread, NULL, receive, NULL);
    spin(rank);
    const long long now = emu_picoseconds() / 1000000;
    pthread_join(thread, NULL);
    MPI_Send(&now, 1, MPI_LONG_LONG, 2, 1, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
