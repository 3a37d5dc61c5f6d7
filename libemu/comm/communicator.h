// A communicator as the program has it: behind its handle stands one of MPICH's of this process alone, which keeps
// attributes, name, info and error handler; who belongs to it, and everything else, is here.
#pragma once

#include <array>
#include <map>
#include <memory>

#include "comm/topology.h"
#include "model/node_groups.h"
#include "rank/communicator.h"

namespace emu::mpi {

struct Communicator : rank::Communicator {
  rank::Members group;  // this process's own; `world`, unless it is an intercommunicator
  std::shared_ptr<const Topology> topology;
  // Of an intercommunicator, whose `world` is the other group: messages among the own one. The same on all of both.
  std::shared_ptr<rank::Communicator> locals;
  bool first = false;  // the own group comes before the other one, where nothing else says which does
  // Likewise, for collective operations: the members of both groups, those of the first before the others.
  std::shared_ptr<rank::Communicator> both;

  // Its members by the nodes of the target that they are on; null: not looked at yet. Of no intercommunicator.
  std::shared_ptr<const model::NodeGroups> node_groups;

  // Partitioned messages made so far: by peer, tag, and whether they are sent.
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
