/* Two threads of rank 0 wait and compute concurrently. The first one waits for rank 2, which sends after 10 ms. The
 * other one computes 5 ms, sends to rank 1, computes 1 ms more and sends again. Then the first one declares work,
 * while other threads do that never call MPI. Ranks 0 and 1 print the instants of the messages that they wait for,
 * in microseconds. */
#include <emu/emu.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

static void* beside(void* unused) {
  emu_compute(5e-3);
  MPI_Send(NULL, 0, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
  emu_compute(1e-3);
  MPI_Send(NULL, 0, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
  return unused;
}

static pthread_barrier_t made; /* both threads: the creation of a thread is a call */

static void* declare(void* unused) {
  pthread_barrier_wait(&made);
  emu_compute(4e-3);
  return unused;
}

static long long now(void) { return emu_picoseconds() / 1000000; }

int main(int argc, char** argv) {
  long long times[3] = {0, 0, 0};
  int provided, rank;
  pthread_t thread, other;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    pthread_create(&thread, NULL, beside, NULL);
    MPI_Recv(NULL, 0, MPI_CHAR, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    times[0] = now();
    pthread_join(thread, NULL);
    pthread_barrier_init(&made, NULL, 3);
    pthread_create(&thread, NULL, declare, NULL);
    pthread_create(&other, NULL, declare, NULL);
    pthread_barrier_wait(&made);
    emu_compute(3e-3);
    pthread_join(thread, NULL);
    pthread_join(other, NULL);
    times[1] = now();
    emu_compute(2e-3);
    times[2] = now();
    printf("0: %lld %lld %lld\n", times[0], times[1] - times[0], times[2] - times[1]);
    MPI_Recv(times, 2, MPI_LONG_LONG, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("1: %lld %lld\n", times[0], times[1]);
  } else if (rank == 1) {
    for (int i = 0; i < 2; ++i) {
      MPI_Recv(NULL, 0, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      times[i] = now();
    }
    MPI_Send(NULL, 0, MPI_CHAR, 2, 0, MPI_COMM_WORLD);
    MPI_Send(times, 2, MPI_LONG_LONG, 0, 0, MPI_COMM_WORLD);
  } else {
    emu_compute(10e-3);
    MPI_Recv(NULL, 0, MPI_CHAR, 1, 0, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE); /* so that the other order does not depend on the host */
    MPI_Send(NULL, 0, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
