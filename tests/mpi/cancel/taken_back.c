// Rank 0 cancels sends. Each case begins a virtual millisecond after the previous one; rank 1 handles the messages as
// the case requires. Both print the end of the case, in picoseconds since its start, and the received data.
#include <emu/emu.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char written[1 << 16];
static int rank, number;
static long began;

static void note(const char* format, ...) {
  va_list values;
  va_start(values, format);
  const size_t length = strlen(written);
  vsnprintf(written + length, sizeof written - length, format, values);
  va_end(values);
}

static long since(void) { return emu_picoseconds() - began; }
static void until(double microseconds) { emu_compute((microseconds * 1e6 - (double)since()) * 1e-12); }

static void begin(const char* name) {
  began = 1000000000L * ++number;
  until(0);
  note("%s, rank %d:", name, rank);
}

static int is_cancelled(MPI_Request* request) {
  MPI_Status status;
  int flag = -1;
  MPI_Cancel(request);
  MPI_Wait(request, &status);
  MPI_Test_cancelled(&status, &flag);
  note(" cancelled %d at %ld", flag, since());
  return flag;
}

typedef int Start(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
static char data[100000], into[100000];

static void receive(int source, int tag, int bytes) {
  MPI_Recv(into, bytes, MPI_CHAR, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  note(" got %d at %ld", into[0], since());
}

// A cancelled message is sent again as another message. Rank 1 receives after `at` microseconds.
static void received(const char* name, Start* start, int bytes, int source, double at) {
  begin(name);
  if (rank == 0) {
    MPI_Request request;
    data[0] = 1;
    start(data, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
    data[0] = 2;
    if (is_cancelled(&request)) MPI_Send(data, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
  } else {
    until(at);
    receive(source, 0, bytes);
  }
  note("\n");
}

// The receive chooses when the message arrives, although rank 1 continues to compute.
static void chosen_meanwhile(void) {
  begin("chosen meanwhile");
  MPI_Request request;
  if (rank == 0) {
    data[0] = 1;
    MPI_Isend(data, 100, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
    is_cancelled(&request);
  } else {
    MPI_Irecv(into, 100, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    for (int i = 1; i <= 20; ++i) {
      until(5 * i);
      MPI_Get_address(data, &(MPI_Aint){0});
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    note(" got %d at %ld", into[0], since());
  }
  note("\n");
}

static void probed(void) {
  begin("probed");
  if (rank == 0) {
    MPI_Request request;
    MPI_Isend(data, 100, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
    is_cancelled(&request);
  } else {
    const double at[] = {11.0, 11.9, 12.1};
    for (int i = 0; i < 3; ++i) {
      int flag = -1;
      until(at[i]);
      MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
      note(" %d", flag);
    }
  }
  note("\n");
}

// Rank 1 answers a handshake meanwhile: the message arrives before the answer is complete, and is cancelled before
// that, too.
static void taken_while_answering(void) {
  begin("taken while answering");
  MPI_Request waits;
  if (rank == 0) {
    MPI_Request request;
    MPI_Issend(data, 1, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &waits);
    MPI_Isend(data, 100, MPI_CHAR, 1, 2, MPI_COMM_WORLD, &request);
    is_cancelled(&request);
    MPI_Send(data, 1, MPI_CHAR, 1, 3, MPI_COMM_WORLD);
  } else {
    MPI_Status status;
    MPI_Irecv(into, 1, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &waits);
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    note(" found %d at %ld", status.MPI_TAG, since());
    receive(0, status.MPI_TAG, 100);
  }
  MPI_Wait(&waits, MPI_STATUS_IGNORE);
  note(" over at %ld\n", since());
}

// The cancel arrives at that instant, after the message. Meanwhile a receive from any source waits for another message.
static void taken_at_that_instant(void) {
  begin("taken at that instant");
  MPI_Request request;
  if (rank == 0) {
    data[0] = 6;
    MPI_Isend(data, 5000, MPI_CHAR, 1, 2, MPI_COMM_WORLD, &request);
    is_cancelled(&request);
  } else {
    MPI_Message message;
    MPI_Irecv(into, 1, MPI_CHAR, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &request);
    MPI_Mprobe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    note(" found at %ld", since());
    MPI_Mrecv(into, 5000, MPI_CHAR, &message, MPI_STATUS_IGNORE);
    note(" got %d at %ld", into[0], since());
    is_cancelled(&request);
  }
  note("\n");
}

// A receive of any tag would get the preceding message.
static void behind_it(void) {
  begin("behind it");
  MPI_Request request;
  if (rank == 0) {
    MPI_Isend(data, 100, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &request);
    data[0] = 3;
    MPI_Send(data, 1, MPI_CHAR, 1, 2, MPI_COMM_WORLD);
    MPI_Cancel(&request);
    MPI_Request_free(&request);
  } else {
    until(40);
    receive(0, MPI_ANY_TAG, 100);
  }
  note("\n");
}

static void persistent(void) {
  begin("persistent");
  if (rank == 0) {
    MPI_Request request;
    data[0] = 4;
    MPI_Send_init(data, 100, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    is_cancelled(&request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    note(" over at %ld", since());
    MPI_Request_free(&request);
  } else {
    until(100);
    receive(0, 0, 100);
  }
  note("\n");
}

static void buffered(void) {
  begin("buffered");
  if (rank == 0) {
    static char memory[sizeof data + MPI_BSEND_OVERHEAD];
    MPI_Request request;
    MPI_Buffer_attach(memory, sizeof memory);
    MPI_Ibsend(data, sizeof data, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
    is_cancelled(&request);
    void* address;
    int size;
    MPI_Buffer_detach(&address, &size);
    note(" detached at %ld", since());
  }
  note("\n");
}

static void to_itself(void) {
  begin("to itself");
  MPI_Request request;
  MPI_Status status;
  int flag;
  MPI_Isend(data, 100, MPI_CHAR, rank, 9, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  note(" cancelled %d\n", flag);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  received("eager, before", MPI_Isend, 100, 0, 11.9);
  received("eager, at once", MPI_Isend, 100, 0, 12);
  received("eager, after", MPI_Isend, 100, 0, 12.1);
  received("eager and long, before", MPI_Isend, 5000, 0, 15.9);
  received("eager and long, after", MPI_Isend, 5000, 0, 16);
  received("any source, waiting", MPI_Isend, 100, MPI_ANY_SOURCE, 0);
  received("any source, before", MPI_Isend, 100, MPI_ANY_SOURCE, 11.9);
  received("any source, after", MPI_Isend, 100, MPI_ANY_SOURCE, 12.1);
  received("rendezvous, waiting", MPI_Isend, sizeof data, 0, 0);
  received("rendezvous, before", MPI_Isend, sizeof data, 0, 11.9);
  received("rendezvous, after", MPI_Isend, sizeof data, 0, 12.1);
  received("synchronous, before", MPI_Issend, 100, 0, 11.9);
  received("synchronous, after", MPI_Issend, 100, MPI_ANY_SOURCE, 12.1);
  chosen_meanwhile();
  probed();
  taken_while_answering();
  taken_at_that_instant();
  behind_it();
  persistent();
  buffered();
  to_itself();
  if (rank == 1) MPI_Send(written, sizeof written, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    static char others[sizeof written];
    MPI_Recv(others, sizeof others, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%s%s", written, others);
    *written = '\0';
    begin("rank 1 has finished");
    MPI_Request request;
    MPI_Isend(data, sizeof data, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
    is_cancelled(&request);
    printf("%s\n", written);
  }
  MPI_Finalize();
  return 0;
}
