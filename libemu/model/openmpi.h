// Choice of Open MPI's algorithm for a collective operation: the fixed rules of its component "tuned", which decides
// where nothing else is configured, by bytes and ranks.
//
// The figures are those of Open MPI 4.0 (coll_tuned_decision_fixed.c), measured on a cluster with Myrinet; which model
// they come from is told by J. Pjesivac-Grbovic, T. Angskun, G. Bosilca, G. E. Fagg, E. Gabriel, J. Dongarra, "Performance analysis
// of MPI collective operations", Cluster Computing 10, 2007.
#pragma once

#include "model/algorithms.h"

namespace emu::model {

// Where libemu does not have Open MPI's algorithm, the one that is nearest to it: a gather in which the root tells each rank when to
// send is linear; a ring of an allreduce that is cut into segments besides is not cut; reductions that do not commute, and
// those by an operation of the program's, are as MPICH has them.
AlgorithmChoice openmpi(const AlgorithmQuery& asked);

// As Open MPI 4.1 does: by tables of ranks and bytes, which were made from measurements on several clusters. It cuts no vector
// into segments. Where libemu does not have the algorithm, the one that is nearest to it, as above; beside these a butterfly of
// a reduce-scatter is recursive halving, its reduction and scatter MPICH's pairs, and a binary tree that keeps the order of
// operands a binomial one.
AlgorithmChoice openmpi_4_1(const AlgorithmQuery& asked);

}  // namespace emu::model
