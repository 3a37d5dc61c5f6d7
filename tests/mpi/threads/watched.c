/* Rank 0 has two threads that call MPI, and eight that never do. Each of the latter computes for a moment and naps
 * until an instant of the clock, again and again, so that one of them runs at any moment. The first thread waits
 * for a semaphore, for an hour at most. Another one tests for a message of rank 1, and naps 1 ms after each false
 * test. Rank 1 sends after 5.5 ms. Prints when the message arrived, in microseconds. */
#include <emu/emu.h>
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { watchers = 8 };

static sem_t over;
static atomic_int watches = 1;
static long long had;

static void* beside(void* unused) {
  MPI_Request request;
  int done = 0;
  MPI_Irecv(NULL, 0, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &request);
  for (;;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done) break;
    usleep(1000);
  }
  had = emu_picoseconds() / 1000000;
  sem_post(&over);
  return unused;
}

static void* watch(void* unused) {
  while (watches) {
    struct timespec at;
    for (volatile int i = 0; i < 100000; ++i) {
    }
    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_nsec += 500000;
    at.tv_sec += at.tv_nsec / 1000000000;
    at.tv_nsec %= 1000000000;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
  }
  return unused;
}

int main(int argc, char** argv) {
  int provided, rank;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    pthread_t threads[watchers + 1];
    struct timespec at;
    sem_init(&over, 0, 0);
    clock_gettime(CLOCK_REALTIME, &at);
    at.tv_sec += 3600;
    for (int i = 0; i < watchers; ++i) pthread_create(&threads[i], NULL, watch, NULL);
    pthread_create(&threads[watchers], NULL, beside, NULL);
    while (sem_timedwait(&over, &at) != 0 && errno == EINTR) {
    }
    watches = 0;
    for (int i = 0; i <= watchers; ++i) pthread_join(threads[i], NULL);
    printf("%lld\n", had);
  } else {
    usleep(5500);
    MPI_Send(NULL, 0, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
