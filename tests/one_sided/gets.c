/* Rank 1 gets a MiB of rank 0's memory, 2,000 times before a fence. Each rank prints the most memory that it had, in MiB; rank 1,
 * when it was through, in picoseconds. */
#include <emu/emu.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { times = 2000, bytes = 1 << 20 };

static long most_memory(void) {
  char line[200];
  long kibibytes = -1;
  FILE* status = fopen("/proc/self/status", "r");
  while (fgets(line, sizeof line, status)) sscanf(line, "VmHWM: %ld", &kibibytes);
  fclose(status);
  return kibibytes / 1024;
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
  printf("%ld MiB\n", most_memory());
  MPI_Finalize();
  free(memory);
  return 0;
}
