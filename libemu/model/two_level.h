// Collective operations by node leaders, where nodes have several members: the leaders have them among themselves, and each
// leader with the members of its node.
//
// These are the forms of MPICH 4.0.2 with its device ch4, and it chooses between them and the flat ones as `takes_nodes`
// has it (its file generic.json for ch4, "compositions"). Within a node and between the leaders the algorithms are the flat
// ones of model/collectives.h. MPICH itself has its collectives within a node move data by shared memory (release and
// gather) where it can; here they are messages inside the node.
#pragma once

#include "model/collectives.h"
#include "model/node_groups.h"

namespace emu::model {

// Whether MPICH does the operation by nodes. `asked.ranks` is the size of the groups.
bool takes_nodes(const NodeGroups& groups, const AlgorithmQuery& asked);

// A barrier on each node, one of the leaders, and one byte from each leader to its node.
Schedule barrier_by_nodes(const NodeGroups& groups);

// Short (below 12288 bytes, or of fewer than 8 ranks): the root hands the data to its leader, leaders broadcast it, then each
// on its node, the root's included. Otherwise it is broadcast on the root's node at first, and then on the others.
Schedule bcast_by_nodes(const NodeGroups& groups, int root, Bytes bytes);

// Up to 2048 bytes: on each node but the root's, then among leaders to that of the root's node, last on that node. Above:
// on every node, among leaders to rank 0, and from there to the root. The operation is commutative.
Schedule reduce_by_nodes(const NodeGroups& groups, int root, const Reduction& what, bool in_place = false);

// To the leader of each node, an allreduce of the leaders, and a broadcast on each node. The operation is commutative.
Schedule allreduce_by_nodes(const NodeGroups& groups, const Reduction& what, bool in_place = false);

}  // namespace emu::model
