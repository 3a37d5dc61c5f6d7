/* Loads and stores in a window of shared memory:
 *   lock ROUNDS    each rank adds to a number in epochs of an exclusive lock; rank 0 prints the number
 *   pair ROUNDS    rank 0 changes two numbers in such epochs, others compare them in epochs of MPI_Win_lock_all; rank 0
 *                  prints how often they differed */
#include <emu/emu.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int rank, size;
static MPI_Win window;
static volatile int* shared; /* rank 0's part */

/* Gives other processes of the host time to run; libemu is not involved. */
static void let_others_run(void) {
  const struct timespec moment = {0, 300000};
  syscall(SYS_nanosleep, &moment, NULL);
}

static void lock(int rounds) {
  for (int i = 0; i < rounds; ++i) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    const int before = shared[0];
    let_others_run();
    if (i % 2) emu_compute(1e-6);
    shared[0] = before + 1;
    MPI_Win_unlock(0, window);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("%d\n", shared[0]);
}

static void pair(int rounds) {
  int different = 0, all = 0;
  for (int i = 0; i < rounds; ++i) {
    if (rank == 0) {
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, size - 1, 0, window);
      ++shared[0];
      let_others_run();
      emu_compute(1e-6);
      ++shared[1];
      MPI_Win_unlock(size - 1, window);
    } else {
      MPI_Win_lock_all(0, window);
      const int first = shared[0];
      let_others_run();
      emu_compute(1e-7);
      different += first != shared[1];
      MPI_Win_unlock_all(window);
    }
  }
  MPI_Reduce(&different, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d\n", all);
}

int main(int argc, char** argv) {
  MPI_Aint bytes;
  int unit;
  void *own, *first;
  MPI_Init(&argc, &argv);
  if (argc != 3) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Win_allocate_shared(rank == 0 ? 2 * sizeof(int) : 0, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &own,
                          &window);
  MPI_Win_shared_query(window, 0, &bytes, &unit, &first);
  shared = first;
  if (strcmp(argv[1], "lock") == 0) lock(atoi(argv[2]));
  if (strcmp(argv[1], "pair") == 0) pair(atoi(argv[2]));
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
