// MPICH's two algorithms for MPI_Reduce, for comparison with the task-parallel reduction. They are made of
// point-to-point messages, so that the cost of combining can be declared where it occurs.
#pragma once

#include <mpi.h>

#include "operation.h"

namespace reduce {

// Each function leaves the result in `own` at the root, and overwrites `own` at the other ranks.

// A binomial tree: every message carries the whole vector. MPICH uses it for user operations and short vectors.
void binomial(Vector& own, const Operation& operation, int root, MPI_Comm comm);

// Rabenseifner's algorithm: a reduce-scatter by recursive halving, then a gather. MPICH uses it for long vectors.
void rabenseifner(Vector& own, const Operation& operation, int root, MPI_Comm comm);

// MPI_Reduce itself. Under emulation, combining costs nothing.
void mpi_reduce(Vector& own, const Operation& operation, int root, MPI_Comm comm);

}  // namespace reduce
