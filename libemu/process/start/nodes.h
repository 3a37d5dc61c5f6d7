// Nodes of a job, and this rank's node: determined with the process manager, before emulation begins.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"
#include "process/start/environment.h"
#include "process/start/job.h"
#include "wire/agent/peer.h"
#include "wire/node_map.h"
#include "wire/region.h"

namespace emu::mpi {

// Data of this process's node.
struct HostNode {
  wire::NodeMap node_map{0};
  std::optional<wire::Region> region;
  bool first = false;             // first rank of its node: has the agent, if there are several nodes
  std::vector<wire::Peer> peers;  // connections of its agent
  int agent_wakes_in = -1, agent_wakes_out = -1;  // the agent's pipe: read by the agent, written by ranks
};

// Called by all ranks of the job, with equal divisions.
Result<HostNode> find_node(const Job& job, const Environment& environment);

// The union, at rank 0, of the bits from all ranks; on other ranks, of some of them. Called once, before tell_all().
Result<std::uint32_t> collect(HostNode& node, int number, std::uint32_t bits);

// Sends a text of rank 0 to all ranks: `text` of other ranks is ignored. Called once.
Result<std::string> tell_all(HostNode& node, int number, const std::string& text);

}  // namespace emu::mpi
