// noticed CASE: ranks 0 and 1 meet the failure of the last one, rank 2, whose node fails at 5000 ps; in "crossing",
// they are two of four and meet the failures of ranks 3 and 2. Every remaining rank prints the results of its
// operations and their instants: a line "RANK: WORD CLASS PICOSECONDS ..." for each.
#include "noticed.h"

#include <emu/emu.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int rank;
char text[4096];
char long_message[200];

const char* name(int code) {
  int class = 0;
  MPI_Error_class(code, &class);
  if (class == MPI_SUCCESS) return "success";
  if (class == MPIX_ERR_PROC_FAILED) return "failed";
  if (class == MPIX_ERR_PROC_FAILED_PENDING) return "pending";
  if (class == MPI_ERR_IN_STATUS) return "in-status";
  return "other";
}

void note(const char* word, int code) {
  sprintf(text + strlen(text), "%d: %s %s %lld\n", rank, word, name(code), emu_picoseconds());
}

void picoseconds(double n) { emu_compute(n * 1e-12); }

static void receive(const char* word, int from) {
  char buffer[200];
  note(word, MPI_Recv(buffer, 200, MPI_CHAR, from, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void send(const char* word, int to, int bytes) {
  note(word, MPI_Send(long_message, bytes, MPI_CHAR, to, 0, MPI_COMM_WORLD));
}

// The failed rank works until then.
void work(void) { picoseconds(1e6); }

static void receives(void) {
  if (rank == 2) {
    picoseconds(4899);
    send("last", 0, 11);  // leaves at 4999
    work();
  }
  if (rank == 0) {
    receive("under way", 2);
    receive("none left", 2);
  }
  if (rank == 1) {
    receive("waits", 2);
    picoseconds(1000);
    receive("knows", 2);
  }
}

static void sends(void) {
  if (rank == 2) work();
  if (rank == 0) {
    picoseconds(5999);
    send("not known yet", 2, 11);
    send("known", 2, 11);
    send("known, long", 2, 200);
  }
  if (rank == 1) send("not answered", 2, 200);
}

// Rank 2 answers rank 1 just before it fails: the send is complete, although the data are lost.
static void answered(void) {
  char buffer[200];
  if (rank == 2) {
    MPI_Request request;
    MPI_Irecv(buffer, 200, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
    picoseconds(4690);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (rank == 1) {
    send("answered", 2, 200);
    send("known", 2, 200);
  }
  if (rank == 0) {  // the message that rank 2 would send after its answer never arrives
    picoseconds(1);
    receive("none", 2);
  }
}

static void group_size(void) {
  MPI_Group group;
  int size = 0, its = -1, one = 0;
  MPI_Group world;
  MPIX_Comm_failure_get_acked(MPI_COMM_WORLD, &group);
  MPI_Group_size(group, &size);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  if (size > 0) MPI_Group_translate_ranks(group, 1, &one, world, &its);
  sprintf(text + strlen(text), "%d: acknowledged %d: %d\n", rank, size, its);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
}

static void any_source(void) {
  char buffer[200];
  MPI_Request request;
  if (rank == 2) work();
  if (rank == 1) {
    picoseconds(3000);
    send("one", 0, 11);
    picoseconds(5000);
    send("two", 0, 11);
  }
  if (rank == 0) {
    receive("before", MPI_ANY_SOURCE);
    receive("in doubt", MPI_ANY_SOURCE);
    MPI_Irecv(buffer, 200, MPI_CHAR, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);
    note("kept", MPI_Wait(&request, MPI_STATUS_IGNORE));
    group_size();
    MPIX_Comm_failure_ack(MPI_COMM_WORLD);
    group_size();
    note("goes on", MPI_Wait(&request, MPI_STATUS_IGNORE));
  }
}

static void probes(void) {
  int flag = 7, polls = 0, code;
  if (rank == 2) work();
  if (rank == 0) {
    do {
      code = MPI_Iprobe(2, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
      ++polls;
    } while (code == MPI_SUCCESS && !flag);
    note("iprobe", code);
    note("probe", MPI_Probe(2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    note("of any", MPI_Probe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  }
  if (rank == 1) note("of any", MPI_Probe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void several(void) {
  char buffers[3][200];
  MPI_Request requests[3];
  MPI_Status statuses[3];
  int index = -1, count = -1, indices[3], flag = 0;
  if (rank == 2) work();
  if (rank == 1) {
    picoseconds(7000);
    send("one", 0, 11);
    MPI_Irecv(buffers[0], 200, MPI_CHAR, 2, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(buffers[1], 200, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &requests[1]);
    note("test", MPI_Testany(2, requests, &index, &flag, MPI_STATUS_IGNORE));
    sprintf(text + strlen(text), "1: index %d\n", index);
    note("some", MPI_Waitsome(2, requests, &count, indices, statuses));
    sprintf(text + strlen(text), "1: count %d index %d\n", count, indices[0]);
  }
  if (rank == 0) {
    MPI_Irecv(buffers[0], 200, MPI_CHAR, 2, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(buffers[1], 200, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Irecv(buffers[2], 200, MPI_CHAR, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[2]);
    note("all", MPI_Waitall(3, requests, statuses));
    for (int i = 0; i < 3; ++i)
      sprintf(text + strlen(text), "0: %s %s\n", name(statuses[i].MPI_ERROR),
              requests[i] == MPI_REQUEST_NULL ? "null" : "kept");
    MPI_Request_free(&requests[2]);
    send("one", 1, 11);
  }
}

static void handler(MPI_Comm* comm, int* code, ...) {
  int members = 0;
  MPI_Comm_size(*comm, &members);
  MPIX_Comm_failure_ack(*comm);
  picoseconds(50);
  sprintf(text + strlen(text), "%d: handler of %d members\n", rank, members);
  note("handler", *code);
}

static void handlers(void) {
  MPI_Errhandler own, got;
  char buffer[200];
  MPI_Request request;
  MPI_Comm_create_errhandler(handler, &own);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, own);
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &got);
  sprintf(text + strlen(text), "%d: handler %s\n", rank, own == got ? "kept" : "lost");
  if (rank == 2) work();
  if (rank == 0) note("receive", MPI_Recv(buffer, 200, MPI_CHAR, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  if (rank == 1) {
    MPI_Irecv(buffer, 200, MPI_CHAR, 2, 0, MPI_COMM_WORLD, &request);
    note("wait", MPI_Wait(&request, MPI_STATUS_IGNORE));
  }
}

static void fatal(void) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  if (rank == 2) work();
  if (rank == 0) receive("fatal", 2);
}

static void revoke(void) {
  if (rank == 0) MPIX_Comm_revoke(MPI_COMM_WORLD);
}

// A message that arrives during the call is received, although the receive was in doubt before.
static void exchange(void) {
  char buffer[200];
  if (rank == 2) work();
  if (rank == 0)
    note("both", MPI_Sendrecv(long_message, 200, MPI_CHAR, 1, 0, buffer, 200, MPI_CHAR, MPI_ANY_SOURCE, 0,
                              MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  if (rank == 1) {
    picoseconds(6000);
    send("one", 0, 11);
    picoseconds(1900);
    receive("other", 0);
  }
}

// A receive in doubt can be cancelled; one of the failed rank ends with the failure. MPI_Request_get_status says what a
// test would say.
static void cancels(void) {
  char buffers[2][200];
  int flag = 7;
  MPI_Request doubtful, failed;
  MPI_Status status;
  if (rank == 2) work();
  if (rank != 0) return;
  MPI_Irecv(buffers[0], 200, MPI_CHAR, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &doubtful);
  MPI_Irecv(buffers[1], 200, MPI_CHAR, 2, 1, MPI_COMM_WORLD, &failed);
  note("in doubt", MPI_Wait(&doubtful, MPI_STATUS_IGNORE));
  note("get_status", MPI_Request_get_status(doubtful, &flag, MPI_STATUS_IGNORE));
  note("cancel", MPI_Cancel(&doubtful));
  note("cancelled", MPI_Wait(&doubtful, &status));
  MPI_Test_cancelled(&status, &flag);
  sprintf(text + strlen(text), "0: flag %d\n", flag);
  note("cancel", MPI_Cancel(&failed));
  note("get_status", MPI_Request_get_status(failed, &flag, MPI_STATUS_IGNORE));
  note("not cancelled", MPI_Wait(&failed, MPI_STATUS_IGNORE));
}

// Operations in the background. A receive from any source is in doubt when its send is complete.
static void behind(void) {
  char buffers[2][200];
  MPI_Request requests[3];
  if (rank == 2) work();
  MPI_Ibarrier(MPI_COMM_WORLD, &requests[0]);
  if (rank == 0) {
    MPI_Isendrecv(NULL, 0, MPI_CHAR, MPI_PROC_NULL, 0, buffers[0], 200, MPI_CHAR, MPI_ANY_SOURCE, 1,
                  MPI_COMM_WORLD, &requests[1]);
    note("receive", MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
  }
  note("barrier", MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
  if (rank == 0) {
    MPI_Isendrecv(long_message, 200, MPI_CHAR, 1, 0, buffers[1], 200, MPI_CHAR, MPI_ANY_SOURCE, 0,
                  MPI_COMM_WORLD, &requests[2]);
    note("both", MPI_Wait(&requests[2], MPI_STATUS_IGNORE));
    MPIX_Comm_failure_ack(MPI_COMM_WORLD);
    note("both", MPI_Wait(&requests[2], MPI_STATUS_IGNORE));
    note("receive", MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
  }
  if (rank == 1) {
    picoseconds(2000);
    receive("long", 0);
    send("one", 0, 11);
    MPI_Send(long_message, 11, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
  }
  MPI_Ibarrier(MPI_COMM_WORLD, &requests[0]);
  note("known", MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
}

// The handshake of a buffered send ends with the failure too.
static void detach(void) {
  static char attached[4096];
  void* buffer;
  int size;
  if (rank == 2) work();
  if (rank != 0) return;
  MPI_Buffer_attach(attached, sizeof attached);
  note("buffered", MPI_Bsend(long_message, 200, MPI_CHAR, 2, 0, MPI_COMM_WORLD));
  note("detach", MPI_Buffer_detach(&buffer, &size));
}

// Rank 1's first message arrives at 6049: after the failure is known, but before rank 0 has answered the request. The
// second message arrives at 5950, and is held until then.
static void late_choice(void) {
  char buffers[3][200];
  MPI_Request requests[3];
  MPI_Status statuses[3];
  if (rank == 2) work();
  if (rank == 0) {
    MPI_Irecv(buffers[0], 200, MPI_CHAR, 1, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(buffers[1], 200, MPI_CHAR, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &requests[1]);
    MPI_Irecv(buffers[2], 200, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[2]);
    note("in doubt", MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
    note("chosen", MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
    note("all", MPI_Waitall(3, requests, statuses));
  }
  if (rank == 1) {
    picoseconds(4900);
    MPI_Isend(long_message, 200, MPI_CHAR, 0, 2, MPI_COMM_WORLD, &requests[0]);
    picoseconds(50);
    MPI_Isend(long_message, 100, MPI_CHAR, 0, 3, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(long_message, 1, MPI_CHAR, 0, 4, MPI_COMM_WORLD, &requests[2]);
    note("sent", MPI_Waitall(3, requests, statuses));
  }
}

// Each rank waits for a rank on the host node of the other waiting rank.
static void crossing(void) {
  if (rank > 1) work();
  receive("waits", 3 - rank);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(void);
  } cases[] = {{"receives", receives},
               {"sends", sends},
               {"answered", answered},
               {"windows", windows},
               {"locks", locks},
               {"waits-for-lock", waits_for_lock},
               {"any-source", any_source},
               {"probes", probes},
               {"several", several},
               {"collectives", collectives},
               {"making", making},
               {"connects", connects},
               {"copies-connected", copies_connected},
               {"merges", merges},
               {"graphs", graphs},
               {"handlers", handlers},
               {"fatal", fatal},
               {"revoke", revoke},
               {"shrinks", shrinks},
               {"crossing", crossing},
               {"late-choice", late_choice},
               {"detach", detach},
               {"exchange", exchange},
               {"behind", behind},
               {"cancels", cancels},
               {"polls", polls},
               {"shrinks-before", shrinks_before}};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof *cases; ++i)
    if (strcmp(argv[1], cases[i].name) == 0) cases[i].run();
  fputs(text, stdout);
  MPI_Finalize();
  return 0;
}
