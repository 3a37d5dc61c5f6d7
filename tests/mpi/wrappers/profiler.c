/* A typical profiler: it defines some MPI functions, which count calls and call PMPI_*. It also calls PMPI_* to
 * query the number of ranks. */
#include <mpi.h>
#include <stdio.h>

static int calls[3];

int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  ++calls[0];
  return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status* status) {
  ++calls[1];
  return PMPI_Recv(buffer, count, type, from, tag, comm, status);
}

int MPI_Barrier(MPI_Comm comm) {
  ++calls[2];
  return PMPI_Barrier(comm);
}

int MPI_Finalize(void) {
  int rank = -1, size = -1, all[3];
  MPI_Comm own;
  PMPI_Comm_dup(MPI_COMM_WORLD, &own);
  PMPI_Comm_rank(own, &rank);
  PMPI_Comm_size(own, &size);
  PMPI_Reduce(calls, all, 3, MPI_INT, MPI_SUM, 0, own);
  PMPI_Comm_free(&own);
  if (rank == 0)
    printf("profiler: %d ranks: %d sends, %d receives, %d barriers\n", size, all[0], all[1], all[2]);
  return PMPI_Finalize();
}
