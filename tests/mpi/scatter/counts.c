/* counts ITEMS BYTES SECONDS ROOT RANKS [ORDER...]: the answer of emu_scatter_counts at rank 0. RANKS 0: the number
 * of ranks of the job. */
#include <emu/scatter.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank, ranks, counts[64], displacements[64], order[64];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 6 || argc > 6 + 64) return 1;
  for (int i = 6; i < argc; ++i) order[i - 6] = atoi(argv[i]);
  const int given = atoi(argv[5]);
  const int balanced =
      emu_scatter_counts(atoll(argv[1]), atoll(argv[2]), atof(argv[3]), atoi(argv[4]), given ? given : ranks,
                         argc > 6 ? order : NULL, counts, displacements);
  if (rank == 0) {
    printf("%d:", balanced);
    for (int i = 0; i < ranks; ++i) printf(" %d@%d", counts[i], displacements[i]);
    printf("\n");
  }
  MPI_Finalize();
  return 0;
}
