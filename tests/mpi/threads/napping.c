/* The first thread of rank 0 waits for a semaphore. Another thread tests for a message of rank 1, and naps 1 ms
 * after each false test; then it computes 1 ms, answers, and posts the semaphore. Rank 1, which has one thread,
 * sleeps 5.5 ms, sends, and tests for the answer, with such naps. Prints when each rank got its message, in
 * microseconds. */
#include <emu/emu.h>
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static sem_t over;
static long long had;

static void receive(int from) {
  MPI_Request request;
  int done = 0;
  MPI_Irecv(NULL, 0, MPI_CHAR, from, 1, MPI_COMM_WORLD, &request);
  for (;;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done) break;
    usleep(1000);
  }
  had = emu_picoseconds() / 1000000;
}

static void* beside(void* unused) {
  receive(1);
  emu_compute(1e-3);
  MPI_Send(NULL, 0, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
  sem_post(&over);
  return unused;
}

int main(int argc, char** argv) {
  int provided, rank;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    pthread_t thread;
    long long other;
    sem_init(&over, 0, 0);
    pthread_create(&thread, NULL, beside, NULL);
    sem_wait(&over);
    pthread_join(thread, NULL);
    MPI_Recv(&other, 1, MPI_LONG_LONG, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%lld %lld\n", had, other);
  } else {
    usleep(5500);
    MPI_Send(NULL, 0, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    receive(0);
    MPI_Send(&had, 1, MPI_LONG_LONG, 0, 2, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
