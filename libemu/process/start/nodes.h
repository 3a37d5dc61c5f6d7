// Nodes of a job, and this rank's place among them: found with the process manager, before anything is emulated.
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

// What this process has of its node.
struct HostNode {
  wire::NodeMap node_map{0};
  std::optional<wire::Region> region;
  bool first = false;             // of its node's ranks: it has the agent, if there are more nodes
  std::vector<wire::Peer> peers;  // its agent's, if it has that
  int agent_wakes_in = -1, agent_wakes_out = -1;  // the agent's pipe: read by the agent, written by ranks
};

// By all ranks of the job, with the same division.
Result<HostNode> find_node(const Job& job, const Environment& environment);

// The union, at rank 0, of the bits that each rank gives; elsewhere of some of them. Once, before tell_all().
Result<std::uint32_t> collect(HostNode& node, int number, std::uint32_t bits);

// What rank 0 has to say, to all: `text` counts there only. Once.
Result<std::string> tell_all(HostNode& node, int number, const std::string& text);

}  // namespace emu::mpi
