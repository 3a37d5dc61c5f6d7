// A communicator of the program. Its handle is one of an MPICH communicator of this process alone, the
// stand-in, which keeps attributes, name, info and error handler; members and everything else are here.
#pragma once

#include <array>
#include <map>
#include <memory>

#include "comm/topology.h"
#include "model/node_groups.h"
#include "rank/communicator.h"

namespace emu::mpi {

struct Communicator : rank::Communicator {
  rank::Members group;  // group of this process; equal to `world`, unless it is an intercommunicator
  std::shared_ptr<const Topology> topology;
  // Intercommunicator, whose `world` is the other group: for messages within the own group, in a context of that group.
  std::shared_ptr<rank::Communicator> locals;
  bool first = false;  // the own group precedes the other one, where MPI defines no order
  // Intercommunicator, for collective operations: the members of both groups, those of the first one first.
  std::shared_ptr<rank::Communicator> both;

  // The members by their nodes of the target; null: not computed yet. Unused for intercommunicators.
  std::shared_ptr<const model::NodeGroups> node_groups;

  // Number of partitioned messages: by peer, tag, and direction.
  std::map<std::array<int, 3>, std::uint32_t> partitioned;

  bool inter() const { return locals != nullptr; }

  Communicator() = default;
  Communicator(match::Context name, rank::Members members, int own) : group(members) {
    context = name;
    rank = own;
    world = std::move(members);
  }
};

}  // namespace emu::mpi
