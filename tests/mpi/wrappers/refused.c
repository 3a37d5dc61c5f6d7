/* Calls functions that libemu refuses; without a target they work as usual. */
#include <mpi.h>

/* MPICH's own implementation of files calls point-to-point and communicator functions by both their names. */
static int write_and_read(const char* name, int rank) {
  MPI_File file;
  int value = -1;
  const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
  MPI_File_open(MPI_COMM_WORLD, name, mode, MPI_INFO_NULL, &file);
  MPI_File_write_at_all(file, rank * sizeof rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_read_at_all(file, rank * sizeof rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  return value;
}

int main(int argc, char** argv) {
  int rank;
  char port[MPI_MAX_PORT_NAME];
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // not every MPICH supports it
  MPI_Open_port(MPI_INFO_NULL, port);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int value = write_and_read("refused.data", rank);
  MPI_Finalize();
  return value == rank ? 0 : 1;
}
