// Rank 0 cancels messages that it has sent to rank 1, which fails before it learns of that: the requests end with the
// failure. Rank 2 answers the cancels of messages to it. Times in picoseconds.
#include <emu/emu.h>
#include <mpi.h>
#include <stdio.h>

enum { eager = 100, rendezvous = 100000, sends = 5 };

static char data[sends][rendezvous];
static char attached[rendezvous + MPI_BSEND_OVERHEAD];

static const char* name(int code) {
  int class = 0;
  MPI_Error_class(code, &class);
  return class == MPI_SUCCESS ? "success" : class == MPIX_ERR_PROC_FAILED ? "failed" : "other";
}

static void take_back(void) {
  static const struct {
    const char* name;
    int to, bytes;
    int (*start)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
  } cases[sends] = {{"eager", 1, eager, MPI_Isend},
                    {"rendezvous", 1, rendezvous, MPI_Isend},
                    {"synchronous", 1, eager, MPI_Issend},
                    {"buffered", 1, rendezvous, MPI_Ibsend},
                    {"of another", 2, eager, MPI_Isend}};
  MPI_Request requests[sends];
  MPI_Buffer_attach(attached, sizeof attached);
  emu_compute(95e-6);
  for (int i = 0; i < sends; ++i)
    cases[i].start(data[i], cases[i].bytes, MPI_CHAR, cases[i].to, 0, MPI_COMM_WORLD, &requests[i]);
  for (int i = 0; i < sends; ++i) MPI_Cancel(&requests[i]);
  for (int i = sends - 1; i >= 0; --i) {
    MPI_Status status;
    int cancelled = -1;
    const int code = MPI_Wait(&requests[i], &status);
    MPI_Test_cancelled(&status, &cancelled);
    printf("%s: %s, cancelled %d, at %lld\n", cases[i].name, name(code), cancelled, emu_picoseconds());
  }
  void* buffer;
  int size;
  MPI_Buffer_detach(&buffer, &size);
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    take_back();
  else
    emu_compute(1);
  return MPI_Finalize();
}
