// Entries of nodes and machines in the key-value space of the process manager.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/failure.h"
#include "wire/agent/bootstrap.h"

namespace emu::mpi {

// Entry of a node, put by its first rank: the location of its region for the node's own ranks, and the addresses of
// its agent for other nodes.
struct NodeEntry {
  int nodes = 0;  // of the job
  int pid = 0, region = 0, pipe = 0;
  std::uint64_t region_bytes = 0;
  std::string secret = "-";  // of the job: only in the first node's entry, with several nodes
  std::vector<wire::Endpoint> endpoints;
};

// The length of the manager's values limits the addresses of a node or a machine.
inline constexpr std::size_t most_addresses = 8;

Result<void> put_node(int node, const NodeEntry& entry);
Result<NodeEntry> get_node(int node);

// `helper`: of the process manager, by number; for forked ranks, the node.
Result<void> put_machine(int helper, const wire::Machine& machine);
Result<wire::Machine> get_machine(int helper);
Result<bool> has_machine(int helper);

}  // namespace emu::mpi
