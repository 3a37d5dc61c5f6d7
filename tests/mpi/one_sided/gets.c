/* Rank 1 gets a MiB of rank 0's memory, 2,000 times before a fence; then, before each of some further fences, all
 * pieces of that memory, which differ, several times over. Each rank prints its greatest memory, in MiB; rank 1
 * prints the end of the first fence, in picoseconds. */
#include <emu/emu.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { times = 2000, bytes = 1 << 20, pieces = 24, gets = 168, epochs = 4 };

static long most_memory(void) {
  char line[200];
  long kibibytes = -1;
  FILE* status = fopen("/proc/self/status", "r");
  while (fgets(line, sizeof line, status)) sscanf(line, "VmHWM: %ld", &kibibytes);
  fclose(status);
  return kibibytes / 1024;
}

static char at(int epoch, int piece, int i) { return (char)(epoch * 31 + piece * 7 + i / 64 % 5 + 1); }

/* More than 64 MiB before each fence. All bytes differ from those of the previous epoch. */
static void get_pieces(int rank, MPI_Comm comm) {
  MPI_Win window;
  const MPI_Aint held = rank == 0 ? (MPI_Aint)pieces * bytes : 0;
  char* const memory = malloc((size_t)(rank == 0 ? pieces : gets) * bytes);
  MPI_Win_create(memory, held, 1, MPI_INFO_NULL, comm, &window);
  for (int epoch = 0; epoch < epochs; ++epoch) {
    for (int i = 0; rank == 0 && i < pieces * bytes; ++i) memory[i] = at(epoch, i / bytes, i % bytes);
    MPI_Win_fence(0, window);
    for (int i = 0; rank == 1 && i < gets; ++i) {
      const int size = bytes - i % 3 * 1000;
      MPI_Get(memory + (MPI_Aint)i * bytes, size, MPI_CHAR, 0, (MPI_Aint)(i % pieces) * bytes, size, MPI_CHAR,
              window);
    }
    MPI_Win_fence(0, window);
    for (int i = 0; rank == 1 && i < gets; ++i)
      for (int k = 0; k < bytes - i % 3 * 1000; ++k)
        if (memory[(size_t)i * bytes + k] != at(epoch, i % pieces, k)) {
          fprintf(stderr, "epoch %d, get %d: wrong at byte %d\n", epoch, i, k);
          MPI_Abort(comm, 1);
        }
  }
  MPI_Win_free(&window);
  free(memory);
}

int main(int argc, char** argv) {
  int rank;
  MPI_Win window;
  char* const memory = malloc(2 * bytes);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  memset(memory, rank == 0 ? 'a' : 'b', 2 * bytes);
  MPI_Win_create(memory, rank == 0 ? bytes : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  const long long begin = emu_picoseconds();
  for (int i = 0; rank == 1 && i < times; ++i)
    MPI_Get(memory + i % 2 * bytes, bytes, MPI_CHAR, 0, 0, bytes, MPI_CHAR, window);
  MPI_Win_fence(0, window);
  if (rank == 1) printf("%lld\n", (long long)emu_picoseconds() - begin);
  MPI_Win_free(&window);
  for (int i = 0; i < 2 * bytes; ++i)
    if (memory[i] != 'a') MPI_Abort(MPI_COMM_WORLD, 1);
  get_pieces(rank, MPI_COMM_WORLD);
  printf("%ld MiB\n", most_memory());
  MPI_Finalize();
  free(memory);
  return 0;
}
