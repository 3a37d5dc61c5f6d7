// Bcast and Reduce in segments along trees, as Open MPI has them (model/openmpi.h). Not for use outside model/collectives.
#pragma once

#include "model/collectives/trees.h"

namespace emu::model {

// Along a tree from the root, each segment as soon as it is there; AlgorithmChoice::whole: in one.
Schedule bcast_along(Shape shape, int rank, int size, int root, Bytes bytes, Bytes segment);

// One half down each half of a binary tree, in segments; then pairs, one of each half, exchange what they have. J.
// Pjesivac-Grbovic et al., "Performance analysis of MPI collective operations", Cluster Computing 10, 2007.
Schedule bcast_split_binary(int rank, int size, int root, Bytes bytes, Bytes segment);

// Segments of whole elements up a tree, combined at each rank. The operation commutes and may be cut.
Schedule reduce_in_segments(Shape shape, int rank, int size, int root, const Reduction& what, Bytes segment,
                            bool in_place);

}  // namespace emu::model
