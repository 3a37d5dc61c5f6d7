/* Errors of a program, selected by its first argument. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int rank, size, value[64];

/* Sleeps on the host by the system call: it does not move the virtual clock, as the functions of the C library do. */
static void pause_here(int milliseconds) {
  const struct timespec t = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
  syscall(SYS_nanosleep, &t, NULL);
}

static void receive(int count, int source, int tag) {
  MPI_Recv(value, count, MPI_INT, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send(int count, int to, int tag) { MPI_Send(value, count, MPI_INT, to, tag, MPI_COMM_WORLD); }

/* All ranks are busy forever, in MPI and outside. */
static void ping_pong(void) {
  const int peer = rank ^ 1;
  for (;;) {
    if (peer >= size) MPI_Recv(value, 1, MPI_INT, 0, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(value, 1, MPI_INT, peer, 0, value + 1, 1, MPI_INT, peer, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
}

static void say_alive(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) puts("alive");
  fflush(stdout);
}

static void cut_off(void) {
  if (rank == 0) send(8, 1, 3);
  if (rank == 1) receive(4, 0, 3);
}

static void expect(int code, int wanted) {
  int class = MPI_SUCCESS;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &class);
  if (class != wanted) {
    printf("rank %d: class %d, not %d\n", rank, class, wanted);
    MPI_Abort(MPI_COMM_WORLD, 9);
  }
}

/* Errors are returned as codes, and the program continues. */
static void returned(void) {
  MPI_Status status;
  MPI_Request requests[2];
  int count;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  expect(MPI_Send(value, 1, MPI_INT, size, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
  expect(MPI_Recv(value, 1, MPI_INT, -7, 0, MPI_COMM_WORLD, &status), MPI_ERR_RANK);
  expect(MPI_Send(value, 1, MPI_INT, 0, -5, MPI_COMM_WORLD), MPI_ERR_TAG);
  expect(MPI_Send(value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
  if (rank == 0) {
    for (int i = 0; i < 8; ++i) value[i] = i + 1;
    for (int tag = 3; tag < 8; ++tag) send(8, 1, tag);
  }
  if (rank == 1) {
    expect(MPI_Recv(value, 4, MPI_INT, 0, 3, MPI_COMM_WORLD, &status), MPI_ERR_TRUNCATE);
    if (value[3] != 4 || value[4] != 0) MPI_Abort(MPI_COMM_WORLD, 8); /* nothing behind the buffer */
    MPI_Irecv(value, 4, MPI_INT, 0, 4, MPI_COMM_WORLD, &requests[0]);
    expect(MPI_Wait(&requests[0], &status), MPI_ERR_TRUNCATE);
    MPI_Irecv(value, 4, MPI_INT, 0, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(value, 8, MPI_INT, 0, 6, MPI_COMM_WORLD, &requests[1]);
    MPI_Status statuses[2];
    expect(MPI_Waitall(2, requests, statuses), MPI_ERR_IN_STATUS);
    expect(statuses[0].MPI_ERROR, MPI_ERR_TRUNCATE);
    expect(statuses[1].MPI_ERROR, MPI_SUCCESS);
    expect(MPI_Recv(value, 8, MPI_INT, 0, 7, MPI_COMM_WORLD, &status), MPI_SUCCESS);
    MPI_Get_count(&status, MPI_INT, &count);
    if (count != 8 || value[7] != 8) MPI_Abort(MPI_COMM_WORLD, 7);
  }
  say_alive();
}

static void ssend_cycle(void) {
  MPI_Ssend(value, 1, MPI_INT, (rank + 1) % size, 11, MPI_COMM_WORLD);
  receive(1, (rank + size - 1) % size, 11);
}

/* Rank 1 does not call the second of two. */
static void missing(void) {
  MPI_Request requests[2];
  int sum;
  MPI_Iallreduce(value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  if (rank == 1) receive(1, 0, 5);
  MPI_Isendrecv(value, 0, MPI_INT, MPI_PROC_NULL, 0, value, 1, MPI_INT, (rank + 1) % size, 6, MPI_COMM_WORLD,
                &requests[0]);
  MPI_Ibarrier(MPI_COMM_WORLD, &requests[1]);
  MPI_Wait(&requests[rank == 0], MPI_STATUS_IGNORE);
}

static void one_of_many(void) {
  if (rank == 1) receive(1, 0, 42);
}

static void other_root(void) {
  int sum[2];
  MPI_Bcast(value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Reduce(value, sum, 2, MPI_INT, MPI_SUM, rank == 1 ? 1 : 0, MPI_COMM_WORLD);
}

static void waiting_calls(void) {
  MPI_Request requests[2];
  MPI_Status statuses[2];
  if (rank == 0) MPI_Probe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) {
    MPI_Irecv(value, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(value, 1, MPI_INT, 2, 7, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, statuses);
  }
  if (rank == 2) receive(1, MPI_ANY_SOURCE, MPI_ANY_TAG);
  if (rank > 2) MPI_Barrier(MPI_COMM_WORLD);
}

static void refused(void) {
  char port[MPI_MAX_PORT_NAME];
  MPI_Open_port(MPI_INFO_NULL, port);
}

static void refused_on_last(void) {
  if (rank == size - 1) refused();
  receive(1, MPI_ANY_SOURCE, 42);
}

/* Prints more than a pipe holds, and aborts at once. */
static void aborts(void) {
  if (rank != 0) receive(1, 0, 42);
  for (int i = 1; i <= 5000; ++i) fprintf(stderr, "line %d of what it says\n", i);
  puts("and the result");
  MPI_Abort(MPI_COMM_WORLD, 9);
}

/* Exits without a message, and without the actions of exit(). */
static void vanish(void) {
  say_alive();
  if (rank == 1) _exit(3);
  receive(1, 1, 42);
}

/* A signal handler may exit, too. */
static void on_alarm(int number) { _exit(number); }
static void vanish_in_handler(void) {
  if (rank == 1) {
    signal(SIGALRM, on_alarm);
    raise(SIGALRM);
  }
  receive(1, 1, 42);
}

static void await(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 3) MPI_Abort(MPI_COMM_WORLD, 4);
}

/* The end of a child process, forked or not, does not end the rank. */
static void children(void) {
  pid_t child = vfork();
  if (child == 0) _exit(3);
  await(child);
  child = fork();
  if (child == 0) _exit(3);
  await(child);
  MPI_Barrier(MPI_COMM_WORLD);
  say_alive();
}

static void aborts_group(void) {
  MPI_Comm own;
  MPI_Comm_dup(MPI_COMM_SELF, &own);
  MPI_Comm_set_name(own, "a name");
  if (rank != 1) receive(1, 1, 42);
  MPI_Abort(own, 300);
}

static void killed(void) {
  say_alive();
  if (rank == size - 1) {
    pause_here(300);
    kill(getpid(), SIGKILL);
  }
  ping_pong();
}

static void killed_asleep(void) {
  say_alive();
  if (rank == size - 1) {
    pause_here(300);
    kill(getpid(), SIGKILL);
  }
  receive(1, MPI_ANY_SOURCE, 1);
}

static void busy(void) {
  say_alive();
  ping_pong();
}

/* All ranks wait for rank 0, which does nothing. */
static void asleep(void) {
  say_alive();
  while (rank == 0) pause();
  receive(1, 0, 1);
}

static void out_of_range(void) {
  if (rank == 0)
    send(1, size, 0);
  else
    receive(1, 0, 0);
}

static void leave(void) {
  if (rank == 1) exit(0);
  receive(1, MPI_ANY_SOURCE, 0);
}

/* By then all ranks have their results. */
static void leave_well(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  puts("alive");
  if (rank == 1) exit(0);
  fflush(stdout);
  if (rank == 2) _exit(0);
}

static void* send_beside(void* unused) {
  pause_here(200); /* by then the first thread waits */
  send(1, 0, 8);
  return unused;
}

/* Two threads call MPI, one while the other is in a call. */
static void two_threads(void) {
  pthread_t thread;
  if (rank == 1) {
    pthread_create(&thread, NULL, send_beside, NULL);
    receive(1, 0, 9);
  }
  if (rank == 0) {
    receive(1, 1, 8);
    send(1, 1, 9);
  }
  if (rank > 1) pause_here(20000); /* no deadlock to be reported before */
}

static void* receive_beside(void* unused) {
  receive(1, 0, 6);
  return unused;
}

/* No rank can continue, nor either of two threads of a rank. */
static void threads_deadlock(void) {
  pthread_t thread;
  if (rank == 1) pthread_create(&thread, NULL, receive_beside, NULL);
  if (rank == 1) receive(1, 0, 5);
  if (rank == 0) receive(1, 1, 7);
}

static MPI_Request shared;

static void* wait_beside(void* unused) {
  MPI_Wait(&shared, MPI_STATUS_IGNORE);
  return unused;
}

/* Two threads wait for one request. Where one is late, it finds a null request, and they try again. */
static void waited_twice(void) {
  for (int attempt = 0; attempt < 500; ++attempt) {
    pthread_t thread;
    if (rank == 0) {
      receive(1, 1, 1);
      pause_here(20);
      send(1, 1, 2);
    }
    if (rank != 1) continue;
    MPI_Irecv(value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &shared);
    send(1, 0, 1);
    pthread_create(&thread, NULL, wait_beside, NULL);
    MPI_Wait(&shared, MPI_STATUS_IGNORE);
    pthread_join(thread, NULL);
  }
}

static void listed_twice(void) {
  MPI_Request twice[2];
  MPI_Allreduce_init(value, value + 1, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &twice[0]);
  MPI_Start(&twice[0]);
  twice[1] = twice[0];
  MPI_Waitall(2, twice, MPI_STATUSES_IGNORE);
}

static const struct {
  const char* name;
  void (*run)(void);
} misuses[] = {{"truncate", cut_off},
               {"returned", returned},
               {"ssend-cycle", ssend_cycle},
               {"missing", missing},
               {"one-of-many", one_of_many},
               {"other-root", other_root},
               {"calls", waiting_calls},
               {"refused", refused},
               {"refused-on-last", refused_on_last},
               {"aborts", aborts},
               {"vanish", vanish},
               {"vanish-in-handler", vanish_in_handler},
               {"children", children},
               {"aborts-group", aborts_group},
               {"killed", killed},
               {"killed-asleep", killed_asleep},
               {"busy", busy},
               {"asleep", asleep},
               {"out-of-range", out_of_range},
               {"leave", leave},
               {"leave-well", leave_well},
               {"two-threads", two_threads},
               {"threads-deadlock", threads_deadlock},
               {"waited-twice", waited_twice},
               {"listed-twice", listed_twice}};

int main(int argc, char** argv) {
  if (argc > 1 && (strcmp(argv[1], "threads-deadlock") == 0 || strcmp(argv[1], "waited-twice") == 0))
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, value);
  else
    MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (size_t i = 0; i < sizeof misuses / sizeof misuses[0]; ++i)
    if (argc > 1 && strcmp(argv[1], misuses[i].name) == 0) misuses[i].run();
  MPI_Finalize();
  return 0;
}
