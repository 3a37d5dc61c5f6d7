// Segmented Bcast and Reduce along trees, as in Open MPI (model/openmpi.h). Only for use in model/collectives.
#pragma once

#include "model/collectives/trees.h"

namespace emu::model {

// Passes each segment down a tree as soon as it has arrived. AlgorithmChoice::whole: one segment.
Schedule bcast_along(Shape shape, int rank, int size, int root, Bytes bytes, Bytes segment);

// Each half of the data goes in segments down one half of a binary tree; then pairs of ranks, one from each half,
// exchange their halves. J. Pjesivac-Grbovic et al., "Performance analysis of MPI collective operations", Cluster
// Computing 10, 2007.
Schedule bcast_split_binary(int rank, int size, int root, Bytes bytes, Bytes segment);

// Passes segments of whole elements up a tree, combined at each rank. The operation is commutative and may be cut.
Schedule reduce_in_segments(Shape shape, int rank, int size, int root, const Reduction& what, Bytes segment,
                            bool in_place);

}  // namespace emu::model
