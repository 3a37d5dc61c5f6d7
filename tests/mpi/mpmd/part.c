/* part windows|pointer|cancel|study|which: one of the programs of a job. Compiled with PLAIN, it refers to no MPI
 * function by which a rank creates windows, moves the shared pointer of a file individually or cancels a send, and
 * can play only the parts without them. Each rank prints its observations, and the instant of its end in virtual
 * time. */
#include <emu/emu.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static int rank, size;

#ifndef PLAIN
static void compute_until(double instant) {
  const double left = instant - 1e-12 * (double)emu_picoseconds();
  if (left > 0) emu_compute(left);
}

/* Time of the host, not of the target. */
static void spin(double seconds) {
  const clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
  while (clock() < end) {
  }
}
#endif

/* Rank 0's memory is read at 1 s - 100 us, however long rank 0 computes. Rank 0's message arrives at rank 2 at 1 s
 * + 150 us; the message that rank 1 sends after the answer arrives at 1 s + 100 us. On the host rank 1 is late, and
 * rank 0 later. */
static void windows(void) {
  MPI_Comm pair;
  int value = rank;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 2, rank, &pair);
  if (rank == 2) {
    for (int i = 0; i < 2; ++i) {
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      printf("message %d is from %d\n", i, value);
    }
  }
#ifndef PLAIN
  if (rank < 2) {
    int *memory, one = 1, old;
    MPI_Win win;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, pair, &memory, &win);
    MPI_Win_lock_all(0, win);
    MPI_Barrier(pair);
    if (rank == 0) {
      compute_until(1.0);
      MPI_Send(&value, 1, MPI_INT, 2, 7, MPI_COMM_WORLD);
      spin(0.9);
    } else {
      spin(0.3);
      compute_until(1.0 - 250e-6);
      MPI_Fetch_and_op(&one, &old, MPI_INT, 0, 0, MPI_SUM, win);
      MPI_Win_flush(0, win);
      MPI_Send(&value, 1, MPI_INT, 2, 7, MPI_COMM_WORLD);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
  }
#endif
  MPI_Comm_free(&pair);
}

/* All ranks open a file, to which the last rank writes with the shared pointer. */
static void pointer(const char* path) {
  int value = rank, there = -1;
  MPI_File file;
  MPI_Offset bytes;
  const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
  if (MPI_File_open(MPI_COMM_WORLD, path, mode, MPI_INFO_NULL, &file) != MPI_SUCCESS)
    MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_write_ordered(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
#ifndef PLAIN
  if (rank == size - 1) MPI_File_write_shared(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
#endif
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_read_at(file, size, &there, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_get_size(file, &bytes);
  printf("rank %d: %d behind the others, %d bytes\n", rank, there, (int)bytes);
  MPI_File_close(&file);
}

/* The last rank cancels the first of its two messages to rank 0. */
static void cancel(void) {
  int value = 1, taken = 0;
  MPI_Status status;
#ifndef PLAIN
  if (rank == size - 1) {
    MPI_Request request;
    MPI_Issend(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &taken);
    printf("taken back: %d\n", taken);
    value = 2;
    MPI_Send(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
  }
#endif
  if (rank != 0) return;
  MPI_Recv(&value, 1, MPI_INT, size - 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Iprobe(size - 1, 1, MPI_COMM_WORLD, &taken, &status);
  printf("received %d, there is another: %d\n", value, taken);
  if (taken) MPI_Recv(&value, 1, MPI_INT, size - 1, 1, MPI_COMM_WORLD, &status);
}

int main(int argc, char** argv) {
  int *program, known = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* const part = argc > 1 ? argv[1] : "";
  if (!strcmp(part, "windows")) windows();
  if (!strcmp(part, "pointer")) pointer(argv[2]);
  if (!strcmp(part, "cancel")) cancel();
  if (!strcmp(part, "study")) {
    emu_compute(1.0 / size);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (!strcmp(part, "which")) {
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &program, &known);
    printf("rank %d of %d is of program %d, with %s\n", rank, size, known ? *program : -1, argv[2]);
  }
  printf("rank %d: done at %lld\n", rank, emu_picoseconds());
  MPI_Finalize();
  return 0;
}
