/* The first thread of rank 1 waits for rank 0, which waits for rank 2, which computes. Another thread of rank 1,
 * which never calls MPI, reads from a pipe, and a third one wakes up repeatedly. Only after the computation is the
 * pipe written to. Ranks 0 and 1 print when their waits ended, in microseconds. */
#include <emu/emu.h>
#include <mpi.h>
#include <poll.h>
#include <stdio.h>
#include <threads.h>
#include <unistd.h>

static int ends[2], waking[2];

static int read_one(void* unused) {
  char c = 0;
  (void)unused;
  return read(ends[0], &c, 1) == 1 ? c : -1;
}

static int wake_up(void* unused) {
  struct pollfd wait = {waking[0], POLLIN, 0};
  (void)unused;
  while (poll(&wait, 1, 200) == 0) continue;
  return 3;
}

static long long now(void) { return emu_picoseconds() / 1000000; }

int main(int argc, char** argv) {
  int provided, rank, read_result = 0, woken = 0;
  long long times[2] = {0, 0};
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Recv(NULL, 0, MPI_CHAR, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    times[0] = now();
    MPI_Send(NULL, 0, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(&times[1], 1, MPI_LONG_LONG, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%lld %lld\n", times[0], times[1]);
  } else if (rank == 1) {
    thrd_t reader, waker;
    if (pipe(ends) != 0 || pipe(waking) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
    thrd_create(&reader, read_one, NULL);
    thrd_create(&waker, wake_up, NULL);
    MPI_Recv(NULL, 0, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    times[1] = now();
    if (write(ends[1], "\7", 1) != 1 || write(waking[1], "\7", 1) != 1) MPI_Abort(MPI_COMM_WORLD, 1);
    thrd_join(reader, &read_result);
    thrd_join(waker, &woken);
    if (read_result != 7 || woken != 3) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Send(&times[1], 1, MPI_LONG_LONG, 0, 0, MPI_COMM_WORLD);
  } else {
    emu_compute(10e-3);
    MPI_Send(NULL, 0, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
