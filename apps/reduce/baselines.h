// MPICH's two algorithms for MPI_Reduce, of point-to-point messages, to compare the task-parallel reduction with: what
// combining costs can be declared where it happens.
#pragma once

#include <mpi.h>

#include "operation.h"

namespace reduce {

// Each leaves the reduction of all ranks' `own` in it at the root; elsewhere it is used up.

// A tree: every message carries the whole vector. MPICH's for operations of the user and short vectors.
void binomial(Vector& own, const Operation& operation, int root, MPI_Comm comm);

// Rabenseifner: a reduce-scatter by recursive halving, then a gather. MPICH's for long vectors.
void rabenseifner(Vector& own, const Operation& operation, int root, MPI_Comm comm);

// MPI_Reduce itself. Emulated, combining costs nothing.
void mpi_reduce(Vector& own, const Operation& operation, int root, MPI_Comm comm);

}  // namespace reduce
