// Collectives among the neighbours of a ring with shortcuts, and between two groups.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "reference/collectives/collectives.h"
#include "reference/collectives/plan.h"
#include "reference/program/program.h"

namespace emu::reference {

inline constexpr Operands mask{
    .count = 65, .element = 4};  // the data of the members' agreement on a communicator's context

inline constexpr Bytes wish = 8;  // a colour and a key

// A part of an operation that makes communicators and uses them. Its messages match no messages of other channels.
struct Part {
  Plan plan;
  int channel = on_parent;
  // A failure of a rank breaks the part for the members of the rank's group. No group: for all ranks.
  std::vector<std::vector<int>> groups = {};
  bool by_pairs = false;  // messages between two ranks, each of which fails only if the other has failed
  // The leaders of a trade between groups that do not know each other's members: they tell each other of failures.
  std::vector<int> leaders = {};
  bool heeds = false;  // after the part a rank that was told of a failure ends the operation

  // The calls that make communicators from the operation's communicator share a channel, and so do the leaders in it,
  // all calls that make communicators from groups, and those of some members. From 1 on: communicators that this
  // operation makes, and kinds of messages on them.
  static constexpr int on_parent = 0, from_groups = -1, of_leaders = -2, of_subset = -3, most = 7;
};

// Every `step`th rank.
std::vector<int> every(int first, int step, int ranks);
// The plan of `members` as part of a plan of `ranks` ranks.
Plan among(const std::vector<int>& members, int ranks, const Plan& plan);
// Messages among neighbours: `to` of each rank, and `from`, in the order in which receives are posted.
Plan neighbours(int ranks, Bytes bytes, const std::function<std::vector<int>(int)>& to,
                const std::function<std::vector<int>(int)>& from);

// The destinations of a rank in a ring with shortcuts: the ranks one and two places before it.
std::vector<int> ring_destinations(int rank, int ranks);
std::vector<int> ring_sources(int rank, int ranks);
// Edges of this topology that a rank knows, and tells to their ends: an edge out of the rank before it, and another one
// out of the rank three places before it.
struct Edge {
  int source, destination;
};
std::vector<Edge> known_edges(int rank, int ranks);
// The ranks that `rank` tells of edges into them, or out of them, and the bytes of these messages.
std::map<int, Bytes> told_edges(int rank, int ranks, bool into);
// The number of such messages to `rank`.
int edges_heard(int rank, int ranks, bool into);
// MPI_Neighbor_allgather and MPI_Neighbor_alltoall on this topology.
Plan near(int ranks, Bytes bytes);

// Creation of an intercommunicator of the even and the odd ranks, its use by MPI_Sendrecv and MPI_Bcast, and its merge.
// `split`: the groups are created by a split, or known.
std::vector<Part> bridge(int ranks, Bytes bytes, bool split);

// The same, but its groups are parted by a split (`split`), or by a choice of some members, into groups that have
// intercommunicators of their own; without a merge.
std::vector<Part> parted_bridge(int ranks, Bytes bytes, bool split);
// The members of a new group among the `size` members of a group, in the order of the new group: of a split those of
// the colour, of a choice (colour 0) the chosen ones. Others are in no new group.
std::vector<int> parted(int size, int colour, bool split);
inline constexpr int parted_colours = 2;

// Plans of the intercommunicator `halves`: MPI_Intercomm_create, and its collectives (libemu/model/intercollectives.h
// describes those of MPICH 4.0.2).
Plan make_intercommunicator(int ranks);
Plan inter_plan(const Operation& operation, int ranks);

}  // namespace emu::reference
