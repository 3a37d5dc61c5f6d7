/* Rank 1 sends one or two long messages and a short one, which arrives first. Rank 0 then cancels the receive of the
 * first long message: the next receive gets that message, in any call, and the receive after it gets the other message.
 * Rank 0 writes the received messages, and the instants, in picoseconds since the start of the case. */
#include <emu/emu.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

enum { longest = 7000, rendezvous = 9000 };
static int rank, number;
static long began;
static char first[longest], second[longest], third[longest], large[rendezvous];

static long since(void) { return emu_picoseconds() - began; }

static void begin(const char* name) {
  began = 1000000000L * ++number;
  emu_compute((double)(began - emu_picoseconds()) * 1e-12);
  if (rank == 0) printf("%s, rank 0:", name);
}

static void receive(char* into, int tag) {
  MPI_Recv(into, longest, MPI_CHAR, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send(int what, int bytes, int tag) {
  first[0] = (char)what;
  MPI_Send(first, bytes, MPI_CHAR, 0, tag, MPI_COMM_WORLD);
}

static void cancel(MPI_Request* request) {
  MPI_Status status;
  int flag = -1;
  receive(third, 9);
  printf(" cancelled at %ld", since());
  MPI_Cancel(request);
  MPI_Wait(request, &status);
  MPI_Test_cancelled(&status, &flag);
  if (!flag) printf(" NOT");
}

static void got(const char* into) { printf(", %d at %ld", into[0], since()); }

static void isendrecv(void) {
  MPI_Request requests[2];
  begin("isendrecv");
  if (rank == 1) {
    send(1, longest, 0);
    send(2, longest, 0);
    send(3, 1, 9);
    return;
  }
  MPI_Irecv(first, longest, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isendrecv(NULL, 0, MPI_CHAR, MPI_PROC_NULL, 0, second, longest, MPI_CHAR, 1, 0, MPI_COMM_WORLD,
                &requests[1]);
  cancel(&requests[0]);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  got(second);
  receive(third, 0);
  got(third);
  printf("\n");
}

/* A matched probe has taken the short message, and its receive has begun. That receive keeps it. */
static void probed(void) {
  MPI_Request requests[2];
  MPI_Message message;
  MPI_Status status;
  int flag = -1;
  begin("probed");
  if (rank == 1) {
    send(1, longest, 0);
    send(3, 1, 9);
    return;
  }
  MPI_Irecv(first, longest, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Mprobe(1, 9, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Imrecv(third, longest, MPI_CHAR, &message, &requests[1]);
  printf(" cancelled at %ld", since());
  MPI_Cancel(&requests[0]);
  MPI_Wait(&requests[0], &status);
  MPI_Test_cancelled(&status, &flag);
  if (!flag) printf(" NOT");
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  got(third);
  receive(second, 0);
  got(second);
  printf("\n");
}

static void* exchange(void* unused) {
  MPI_Sendrecv(large, rendezvous, MPI_CHAR, 1, 7, second, longest, MPI_CHAR, 1, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  return unused;
}

/* Rank 1 sends once the other thread is in its call. That call cannot end before this thread has cancelled, however
 * long the host takes, because rank 1 makes no call until a signal arrives. */
static void other_thread(void) {
  MPI_Request request;
  pthread_t thread;
  sigset_t signals;
  int signal, process = getpid();
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  if (rank == 1) {
    sigprocmask(SIG_BLOCK, &signals, NULL);
    MPI_Send(&process, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
  } else {
    MPI_Recv(&process, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  begin("other thread");
  if (rank == 1) {
    MPI_Probe(0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    send(1, longest, 0);
    send(2, longest, 0);
    send(3, 1, 9);
    emu_compute(2e-6); /* the short one is certain then, the long ones are not */
    sigwait(&signals, &signal);
    MPI_Recv(large, rendezvous, MPI_CHAR, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return;
  }
  MPI_Irecv(first, longest, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
  pthread_create(&thread, NULL, exchange, NULL);
  cancel(&request);
  kill(process, SIGUSR1);
  pthread_join(thread, NULL);
  got(second);
  receive(third, 0);
  got(third);
  printf("\n");
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  isendrecv();
  probed();
  other_thread();
  MPI_Finalize();
  return 0;
}
