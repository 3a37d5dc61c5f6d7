/* Read by functions/prototypes.awk after the preprocessor. */
#define MPICH_SKIP_MPICXX
#include <mpi.h>
