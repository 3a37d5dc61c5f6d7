// Which nodes a job runs on, and this rank's place among them: found with MPI, before anything is emulated.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "mpi/environment.h"
#include "wire/agent.h"
#include "wire/meeting.h"
#include "wire/node_map.h"
#include "wire/region.h"

namespace emu::mpi {

// What this process has of its node.
struct HostNode {
  wire::NodeMap node_map{0};
  std::optional<wire::Region> region;
  std::optional<wire::Listener> listener;         // the first rank of a node that is not the only one
  std::vector<wire::Contact> contacts;            // by node
  std::uint64_t job = 0;                          // a number that only this job knows
  int agent_wakes_in = -1, agent_wakes_out = -1;  // the agent's pipe: read by the agent, written by ranks
};

// The following call `fail` with a message, which does not return, if that cannot be.
using Fail = std::function<void(const std::string&)>;
// If all ranks are on one node: by rank 0, and by the others, which are told where the region of rank 0 is:
// "PID FILE BYTES".
HostNode lead_only_node(int size, const Fail& fail);
HostNode join_only_node(int size, const std::string& where, const Fail& fail);
// Else: collective over MPI_COMM_WORLD, with the same division on all ranks.
HostNode find_nodes(int number, int size, Division division, const Fail& fail);

}  // namespace emu::mpi
