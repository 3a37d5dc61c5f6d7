/* A program for tests of `emu run`. Rank 0 sends one message of 4 bytes to every other rank. Arguments: exit CODE
 * (of rank 0, after MPI_Finalize), early CODE (of all ranks, before it), print WORDS, sleep (for ever). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  int rank, size, value = 42;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(what, "early") == 0) MPI_Abort(MPI_COMM_WORLD, atoi(argv[2]));
  if (strcmp(what, "sleep") == 0) {
    if (rank == 0) puts("sleeping");
    fflush(stdout);
    for (;;) pause();
  }
  if (rank == 0) {
    for (int i = 1; i < size; ++i) MPI_Send(&value, 1, MPI_INT, i, 0, MPI_COMM_WORLD);
  } else {
    MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank == 0 && strcmp(what, "print") == 0)
    for (int i = 2; i < argc; ++i) printf("[%s]\n", argv[i]);
  MPI_Finalize();
  return rank == 0 && strcmp(what, "exit") == 0 ? atoi(argv[2]) : 0;
}
