/* prefetching TASKS SECONDS PREFETCH CHUNK INPUT_BYTES RESULT_BYTES MASTER_SECONDS: a master deals tasks so that
 * each slave has several chunks at a time: the messages of `emu farm --prefetch`. A chunk of c tasks is sent in 8
 * bytes and the input of c tasks, its results in 8 bytes and the results of c tasks. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "emu/emu.h"

enum { task_tag = 1, result_tag = 2 };

typedef struct {
  int first, count;
} chunk;

static int tasks, prefetch, most, input_bytes, result_bytes;
static double seconds, master_seconds;
static int next;
static char* message;

/* False if no tasks are left: then the slave is told to stop, if `stop`. */
static int deal(int slave, int stop) {
  chunk c = {next, tasks - next < most ? tasks - next : most};
  if (c.count == 0 && !stop) return 0;
  next += c.count;
  if (c.count > 0 && master_seconds > 0) emu_compute(master_seconds * c.count);
  memcpy(message, &c, sizeof c);
  MPI_Send(message, (int)sizeof c + c.count * input_bytes, MPI_BYTE, slave, task_tag, MPI_COMM_WORLD);
  return c.count > 0;
}

static void master(int ranks) {
  int* under_way = calloc((size_t)ranks, sizeof *under_way);
  int left = 0;
  for (int round = 0; round < prefetch; ++round)
    for (int slave = 1; slave < ranks; ++slave)
      if (deal(slave, round == 0)) ++under_way[slave], ++left;
  while (left > 0) {
    MPI_Status status;
    MPI_Recv(message, (int)sizeof(chunk) + most * result_bytes, MPI_BYTE, MPI_ANY_SOURCE, result_tag,
             MPI_COMM_WORLD, &status);
    if (!deal(status.MPI_SOURCE, under_way[status.MPI_SOURCE] == 1)) --under_way[status.MPI_SOURCE], --left;
  }
  free(under_way);
}

static void slave(void) {
  for (;;) {
    chunk c;
    MPI_Recv(message, (int)sizeof c + most * input_bytes, MPI_BYTE, 0, task_tag, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    memcpy(&c, message, sizeof c);
    if (c.count == 0) return;
    emu_compute(c.count * seconds);
    MPI_Send(message, (int)sizeof c + c.count * result_bytes, MPI_BYTE, 0, result_tag, MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  if (argc != 8) MPI_Abort(MPI_COMM_WORLD, 2);
  tasks = atoi(argv[1]);
  seconds = atof(argv[2]);
  prefetch = atoi(argv[3]);
  most = atoi(argv[4]);
  input_bytes = atoi(argv[5]);
  result_bytes = atoi(argv[6]);
  master_seconds = atof(argv[7]);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  message = calloc(1, sizeof(chunk) + (size_t)most * (size_t)(input_bytes + result_bytes));
  if (rank == 0)
    master(ranks);
  else
    slave();
  free(message);
  MPI_Finalize();
  return 0;
}
