/* Rank 0 prints the place of each rank: the node's name, and the number of ranks that share memory there; 0 if an
   intercommunicator between the even and the odd ranks has other members on the node. */
#include <mpi.h>
#include <stdio.h>

/* The members on this node of an intercommunicator between even and odd ranks: all ranks of the node, or no
   communicator if they are of one kind. */
static int agrees(MPI_Comm node, int rank) {
  int size, odd = rank % 2, of_both = 0, others = 0;
  MPI_Comm half, inter, here;
  MPI_Comm_split(MPI_COMM_WORLD, odd, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - odd, 0, &inter);
  MPI_Comm_split_type(inter, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  MPI_Comm_size(node, &size);
  MPI_Allreduce(MPI_IN_PLACE, &odd, 1, MPI_INT, MPI_SUM, node);
  if (here == MPI_COMM_NULL) return odd == 0 || odd == size;
  MPI_Comm_size(here, &of_both);
  MPI_Comm_remote_size(here, &others);
  return of_both + others == size && odd == (rank % 2 == 1 ? of_both : others);
}

int main(int argc, char** argv) {
  int rank, size, length, shared;
  char name[MPI_MAX_PROCESSOR_NAME], names[64][MPI_MAX_PROCESSOR_NAME];
  int sizes[64];
  MPI_Comm node;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &shared);
  if (!agrees(node, rank)) shared = 0;
  MPI_Comm_free(&node);
  MPI_Get_processor_name(name, &length);
  MPI_Gather(name, sizeof name, MPI_CHAR, names, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
  MPI_Gather(&shared, 1, MPI_INT, sizes, 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < size; ++i) printf("%s:%d ", names[i], sizes[i]);
  if (argc > 1) MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED + 1000, 0, MPI_INFO_NULL, &node);
  MPI_Finalize();
  return 0;
}
