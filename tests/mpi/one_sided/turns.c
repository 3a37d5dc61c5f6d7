/* turns FILE [late]: all ranks but the first write records of their own length by the shared pointer of FILE, while
 * the first one computes. Each prints for each record: its rank, the start and the end of the write in picoseconds,
 * and the number of bytes. The first one then prints the writers of the records in the file, in order.
 *
 * With `late` the ranks are those of a communicator without the first rank of MPI_COMM_WORLD, which is in
 * MPI_Finalize meanwhile. */
#include <emu/emu.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { rounds = 6, unit = 100 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm comm;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc < 2) MPI_Abort(MPI_COMM_WORLD, 1);
  const int late = argc > 2;
  MPI_Comm_split(MPI_COMM_WORLD, late && rank == 0 ? MPI_UNDEFINED : 0, rank, &comm);
  if (comm == MPI_COMM_NULL) return MPI_Finalize();
  /* Time of the host only, so that the first rank is in MPI_Finalize there, too. */
  const struct timespec pause = {0, 300000000};
  if (late) syscall(SYS_nanosleep, &pause, NULL);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_File file;
  const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
  if (MPI_File_open(comm, argv[1], mode, MPI_INFO_NULL, &file) != MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 1);
  const int bytes = unit * (rank % 3 + 1);
  char* record = malloc(unit * 3);
  memset(record, rank, unit * 3);
  long long times[rounds][2];
  if (rank == 0) {
    emu_compute(1.0);
  } else {
    emu_compute(1e-6 * (rank * 37 % 64));
    for (int i = 0; i < rounds; ++i) {
      times[i][0] = emu_picoseconds();
      MPI_File_write_shared(file, record, bytes, MPI_CHAR, MPI_STATUS_IGNORE);
      times[i][1] = emu_picoseconds();
      emu_compute(1e-6 * (rank * 11 % 7) * i);
    }
  }
  MPI_Barrier(comm);
  for (int r = 1; r < size; ++r) {
    if (rank == 0) MPI_Recv(times, 2 * rounds, MPI_LONG_LONG, r, 0, comm, MPI_STATUS_IGNORE);
    if (rank == r) MPI_Send(times, 2 * rounds, MPI_LONG_LONG, 0, 0, comm);
    for (int i = 0; rank == 0 && i < rounds; ++i)
      printf("%d %lld %lld %d\n", r, times[i][0], times[i][1], unit * (r % 3 + 1));
  }
  if (rank == 0) {
    printf("file");
    MPI_Offset at = 0, end;
    for (MPI_File_get_size(file, &end); at < end; at += unit * (record[0] % 3 + 1)) {
      MPI_File_read_at(file, at, record, unit, MPI_CHAR, MPI_STATUS_IGNORE);
      printf(" %d", record[0]);
    }
    printf("\n");
  }
  MPI_File_close(&file);
  MPI_Comm_free(&comm);
  free(record);
  MPI_Finalize();
  return 0;
}
