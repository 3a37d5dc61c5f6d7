/* The first thread of rank 0 waits for a barrier in the background. Another thread sleeps 10 ms, and handles the
 * barrier's messages meanwhile. Rank 1 enters the barrier after 1 ms. Prints, in microseconds, when the first
 * thread left the barrier, and when the other one ended its sleep. */
#include <emu/emu.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static long long now(void) { return emu_picoseconds() / 1000000; }

static long long slept;

static void* beside(void* unused) {
  usleep(10000);
  slept = now();
  return unused;
}

int main(int argc, char** argv) {
  int provided, rank;
  MPI_Request barrier;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    pthread_t thread;
    long long over;
    pthread_create(&thread, NULL, beside, NULL);
    MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    MPI_Wait(&barrier, MPI_STATUS_IGNORE);
    over = now();
    pthread_join(thread, NULL);
    printf("%lld %lld\n", over, slept);
  } else {
    emu_compute(1e-3);
    MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    MPI_Wait(&barrier, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
