// Choice of Open MPI's algorithm for a collective operation: the fixed rules of its component "tuned", which decides
// where nothing else is configured, by bytes and ranks.
//
// The figures are those of Open MPI 4.0 (coll_tuned_decision_fixed.c), measured on a cluster with Myrinet; which model
// they come from is told by J. Pjesivac-Grbovic, T. Angskun, G. Bosilca, G. E. Fagg, E. Gabriel, J. Dongarra, "Performance analysis
// of MPI collective operations", Cluster Computing 10, 2007. Releases from 4.1 on have tables by ranks in their place.
#pragma once

#include "model/algorithms.h"

namespace emu::model {

// Where libemu does not have Open MPI's algorithm, the one that is nearest to it: a gather in which the root tells each rank when to
// send is linear; a ring of an allreduce that is cut into segments besides is not cut; reductions that do not commute, and
// those by an operation of the program's, are as MPICH has them.
Way openmpi(const Asked& asked);

}  // namespace emu::model
