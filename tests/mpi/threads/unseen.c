/* Rank 0 waits for a generalized request that is completed by a thread which the C library creates, or wakes, on an
 * external event. Meanwhile rank 1 receives from any source the message that rank 2 sends after 10 ms of
 * computation, and creates the file MARK.
 *
 *   unseen MODE MARK FIFO
 *     timer     the thread of a timer: 300 ms of the host's time
 *     callback  the thread of a timer, at once; it reads a byte from FIFO
 *     aio       the thread of an asynchronous read from FIFO
 *     suspend   a thread of the program, which has sent a message to rank 1 and waits for such a read
 *     over      the thread of a timer, at once. Then ranks 0 and 1 wait for each other: a deadlock
 *
 * Prints when rank 1 got its message, in microseconds, once the request is complete. */
#include <aio.h>
#include <emu/emu.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static MPI_Request request;
static int fifo;
static char byte;
static struct aiocb reading;

static int query(void* state, MPI_Status* status) {
  (void)state;
  MPI_Status_set_elements(status, MPI_CHAR, 0);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}

static int release(void* state) {
  (void)state;
  return MPI_SUCCESS;
}

static int cancel(void* state, int complete) {
  (void)state, (void)complete;
  return MPI_SUCCESS;
}

static void complete(union sigval unused) {
  (void)unused;
  MPI_Grequest_complete(request);
}

static void read_and_complete(union sigval unused) {
  if (read(fifo, &byte, 1) == 1) complete(unused);
}

static void start_timer(void (*function)(union sigval), long nanoseconds) {
  struct sigevent event;
  const struct itimerspec once = {{0, 0}, {0, nanoseconds}};
  timer_t timer;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = function;
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  timer_settime(timer, 0, &once, NULL);
}

static void start_reading(int notify) {
  memset(&reading, 0, sizeof reading);
  reading.aio_fildes = fifo;
  reading.aio_buf = &byte;
  reading.aio_nbytes = 1;
  reading.aio_sigevent.sigev_notify = notify;
  reading.aio_sigevent.sigev_notify_function = complete;
  aio_read(&reading);
}

static void* suspend(void* unused) {
  const struct aiocb* const list[] = {&reading};
  MPI_Send(NULL, 0, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
  start_reading(SIGEV_NONE);
  while (aio_suspend(list, 1, NULL) != 0) continue;
  MPI_Grequest_complete(request);
  return unused;
}

static void wait_for_it(const char* mode, const char* name) {
  pthread_t thread;
  MPI_Request mine;
  long long time;
  const int suspends = strcmp(mode, "suspend") == 0;
  fifo = open(name, O_RDWR);
  MPI_Grequest_start(query, release, cancel, NULL, &request);
  mine = request;
  if (strcmp(mode, "timer") == 0) start_timer(complete, 300000000);
  if (strcmp(mode, "callback") == 0) start_timer(read_and_complete, 1);
  if (strcmp(mode, "aio") == 0) start_reading(SIGEV_THREAD);
  if (strcmp(mode, "over") == 0) start_timer(complete, 1);
  if (suspends) pthread_create(&thread, NULL, suspend, NULL);
  MPI_Wait(&mine, MPI_STATUS_IGNORE);
  if (suspends) pthread_join(thread, NULL);
  MPI_Recv(&time, 1, MPI_LONG_LONG, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  printf("%lld\n", time);
}

int main(int argc, char** argv) {
  int provided, rank;
  long long time;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) wait_for_it(argv[1], argv[3]);
  if (rank == 1) {
    if (strcmp(argv[1], "suspend") == 0) MPI_Recv(NULL, 0, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(NULL, 0, MPI_CHAR, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    time = emu_picoseconds() / 1000000;
    if (strcmp(argv[1], "over") == 0) MPI_Recv(NULL, 0, MPI_CHAR, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&time, 1, MPI_LONG_LONG, 0, 2, MPI_COMM_WORLD);
    close(open(argv[2], O_CREAT | O_WRONLY, 0600));
  } else if (rank == 2) {
    emu_compute(1e-2);
    MPI_Send(NULL, 0, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
