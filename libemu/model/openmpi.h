// Choice of Open MPI's algorithm for a collective operation: the fixed rules of its component "tuned", the default,
// by bytes and ranks.
//
// The constants are those of Open MPI 4.0 (coll_tuned_decision_fixed.c), measured on a cluster with
// Myrinet. Their model is described by J. Pjesivac-Grbovic, T. Angskun, G. Bosilca, G. E. Fagg, E.
// Gabriel, J. Dongarra, "Performance analysis of MPI collective operations", Cluster Computing 10, 2007.
#pragma once

#include "model/algorithms.h"

namespace emu::model {

// If libemu does not have Open MPI's algorithm, it takes the nearest one: linear for a gather in
// which the root tells each rank when to send; an uncut ring for a segmented ring of an allreduce.
// Noncommutative reductions, and reductions by an operation of the program, are those of MPICH.
AlgorithmChoice openmpi(const AlgorithmQuery& asked);

// The choice of Open MPI 4.1 (all versions to 4.1.8 have the same rules): tables of ranks and bytes, which were derived
// from measurements on several clusters, without segments. If libemu does not have the algorithm, it takes the nearest
// one, as above; in addition, a binomial tree for a binary tree that keeps the order of operands, and Bruck's algorithm
// for an allgatherv that gathers and broadcasts. Noncommutative reductions are those of MPICH, but for a
// reduce_scatter.
AlgorithmChoice openmpi_4_1(const AlgorithmQuery& asked);

}  // namespace emu::model
