/* The first thread of rank 0 sleeps 10 ms. Meanwhile another thread computes 5 ms, sends to rank 1, which answers
 * after 1 ms, and sleeps 1 ms. Rank 1, which has one thread, sleeps 20 ms after its answer and sends again. Prints,
 * in microseconds: when the other thread got the answer and when it awoke, when the first thread awoke, and when it
 * got the second message. */
#include <emu/emu.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static long long times[4];

static long long now(void) { return emu_picoseconds() / 1000000; }

static void* beside(void* unused) {
  emu_compute(5e-3);
  MPI_Send(NULL, 0, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
  MPI_Recv(NULL, 0, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  times[0] = now();
  usleep(1000);
  times[1] = now();
  return unused;
}

int main(int argc, char** argv) {
  int provided, rank;
  pthread_t thread;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    pthread_create(&thread, NULL, beside, NULL);
    usleep(10000);
    times[2] = now();
    MPI_Recv(NULL, 0, MPI_CHAR, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    times[3] = now();
    pthread_join(thread, NULL);
    printf("%lld %lld %lld %lld\n", times[0], times[1], times[2], times[3]);
  } else {
    MPI_Recv(NULL, 0, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    emu_compute(1e-3);
    MPI_Send(NULL, 0, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    usleep(20000);
    MPI_Send(NULL, 0, MPI_CHAR, 0, 2, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
