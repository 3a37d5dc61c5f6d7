// A shared counter. All ranks except the first draw numbers from the first rank's counter, while that rank computes,
// until all numbers are drawn. Each rank writes a line: its rank, its start and its end in picoseconds, the number of
// drawn numbers, and their sum.
#include <emu/emu.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 2) MPI_Abort(MPI_COMM_WORLD, 1);
  const long all = atol(argv[1]);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  long counter = 0, drawn = 0, sum = 0, first = 0, last = 0;
  MPI_Win win;
  MPI_Win_create(&counter, sizeof counter, sizeof counter, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    emu_compute(1.0);
  } else {
    const long one = 1;
    emu_compute(1e-6 * (rank * 37 % 64));
    first = emu_picoseconds();
    for (;;) {
      long number;
      MPI_Fetch_and_op(&one, &number, MPI_LONG, 0, 0, MPI_SUM, win);
      MPI_Win_flush(0, win);
      if (number >= all) break;
      ++drawn;
      sum += number * (drawn % 7 + 1);
    }
    last = emu_picoseconds();
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  long line[] = {rank, first, last, drawn, sum};
  if (rank == 0) printf("counter %ld\n", counter);
  for (int r = 1; r < size; ++r) {
    if (rank == 0) MPI_Recv(line, 5, MPI_LONG, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == r) MPI_Send(line, 5, MPI_LONG, 0, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%ld %ld %ld %ld %ld\n", line[0], line[1], line[2], line[3], line[4]);
  }
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
