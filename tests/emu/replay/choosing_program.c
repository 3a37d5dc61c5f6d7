/* Makes the choice that its argument names, and ends normally. */
#include <mpi.h>
#include <string.h>

int main(int argc, char** argv) {
  int rank, size, flag = 0, value = 0, index;
  MPI_Request r[2];
  const char* how = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  if (!strcmp(how, "ibarrier")) {
    MPI_Ibarrier(MPI_COMM_WORLD, &r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  } else if (rank == 0) {
    if (!strcmp(how, "source"))
      for (int i = 1; i < size; ++i)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!strcmp(how, "probe")) {
      MPI_Probe(1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (int i = 1; i < size; ++i) MPI_Recv(&value, 1, MPI_INT, i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (!strcmp(how, "any") || !strcmp(how, "test")) {
      for (int i = 0; i < 2; ++i) MPI_Irecv(&value, 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &r[i]);
      while (!strcmp(how, "test") && !flag) MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE);
      if (!flag) MPI_Waitany(2, r, &index, MPI_STATUS_IGNORE);
      MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
      for (int i = 3; i < size; ++i) MPI_Recv(&value, 1, MPI_INT, i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  } else {
    MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
  return MPI_Finalize();
}
