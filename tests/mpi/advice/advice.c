/* Asks for advice, at rank 0 in an MPI program. advice mpi|plain [bad]: prints "code: rule chunk most workers
 * seconds" or "code: message". */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "emu/emu.h"

static void ask(emu_loop loop) {
  emu_advice advice;
  char message[200] = "";
  const int code = emu_advise(&loop, &advice, message, sizeof message);
  if (code == EMU_ADVICE_FOUND)
    printf("%d: %d %lld %lld %d %.9f\n", code, (int)advice.rule, advice.chunk, advice.most, advice.workers,
           advice.seconds);
  else
    printf("%d: %s\n", code, message);
}

int main(int argc, char** argv) {
  const int mpi = argc > 1 && strcmp(argv[1], "mpi") == 0, bad = argc > 2;
  int rank = 0;
  emu_loop loop = {0};
  loop.iterations = 1000;
  loop.mean_seconds = 1e-3;
  loop.workers = 3;
  if (bad && strcmp(argv[2], "workers") == 0) loop.workers = 4;
  if (bad && strcmp(argv[2], "cut") == 0) loop.iterations = -1;
  int ranks[] = {1, 2, 9};
  if (bad && strcmp(argv[2], "ranks") == 0) loop.ranks = ranks;
  if (mpi) MPI_Init(&argc, &argv);
  if (mpi) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    const long long before = emu_picoseconds();
    ask(loop);
    if (emu_picoseconds() != before) printf("advice took virtual time\n");
    if (bad && strcmp(argv[2], "cut") == 0) {
      char message[8] = "";
      emu_advice advice;
      printf("%d", emu_advise(&loop, &advice, NULL, 0));
      emu_advise(&loop, &advice, message, sizeof message);
      printf(" %s\n", message);
    }
  }
  if (mpi) MPI_Finalize();
  return 0;
}
