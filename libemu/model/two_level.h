// Collective operations by node leaders, for nodes with several members: an operation
// among the leaders, and operations of each leader with the members of its node.
//
// These are the algorithms of MPICH 4.0.2 with its device ch4. `takes_nodes` is its choice between
// them and the flat ones (its file generic.json for ch4, "compositions"). Within a node and between
// the leaders the algorithms are the flat ones of model/collectives.h. MPICH itself moves data within
// a node by shared memory (release and gather) where it can; here these are messages inside the node.
#pragma once

#include "model/collectives.h"
#include "model/node_groups.h"

namespace emu::model {

// True if MPICH carries the operation out by nodes. `asked.ranks` is the size of the groups.
bool takes_nodes(const NodeGroups& groups, const AlgorithmQuery& asked);

// A barrier on each node, a barrier of the leaders, and one byte from each leader to its node.
Schedule barrier_by_nodes(const NodeGroups& groups);

// Short (below 12288 bytes, or fewer than 8 ranks): the root sends the data to its leader, the leaders broadcast, then
// each leader broadcasts on its node, the root's node included. Otherwise: on the root's node first, then among
// leaders, then on other nodes.
Schedule bcast_by_nodes(const NodeGroups& groups, int root, Bytes bytes);

// Up to 2048 bytes: reduces on each node but the root's, then among the leaders to the leader of the root's node, last
// on that node. Above: on every node, then among the leaders to rank 0, which sends the result to the root. The
// operation is commutative.
Schedule reduce_by_nodes(const NodeGroups& groups, int root, const Reduction& what, bool in_place = false);

// Reduction to each leader, an allreduce of the leaders, and a broadcast on each node. The operation is commutative.
Schedule allreduce_by_nodes(const NodeGroups& groups, const Reduction& what, bool in_place = false);

}  // namespace emu::model
