// Establishment of the connections between the agents of a job. Each agent listens for agents of later nodes, publishes
// its addresses through the process manager, and calls agents of earlier nodes.
//
// An agent listens only on the addresses by which machines of the job reach its own: on the loopback addresses for
// nodes of the same machine, on the addresses towards the other machines for nodes there, on none if no later node
// exists.
//
// The parts: host_addresses.h has the addresses of a machine, call.h the side that calls, admission.h the side that is
// called, handshake.h the authentication of both.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/failure.h"
#include "wire/agent/admission.h"
#include "wire/agent/event_loop.h"
#include "wire/agent/handshake.h"
#include "wire/agent/host_addresses.h"
#include "wire/agent/peer.h"
#include "wire/node_map.h"

namespace emu::wire {

// Machine of a node.
struct Machine {
  std::uint64_t id = 0;  // equal if machine and network are the same
  std::string name;      // of the host, for error messages
  std::vector<Address> addresses;
};

// Addresses of a node's agent. Nodes of the same machine use the loopback addresses; other nodes use the others.
struct Contact {
  Machine machine;
  std::vector<Endpoint> endpoints;
};

class AgentBootstrap {
 public:
  AgentBootstrap(AgentBootstrap&&) = default;

  // Listens for the agents of later nodes. `machines`: the machines of all nodes.
  static Result<AgentBootstrap> listen(const NodeMap& node_map, const std::vector<Machine>& machines);

  // Addresses and ports on which it listens.
  const std::vector<Endpoint>& endpoints() const { return endpoints_; }

  // Returns the agents of all other nodes, in node order. `contacts`: the contacts of all
  // nodes. Waits at most for `patience`. An error names the missing node, and the reason.
  Result<std::vector<Peer>> connect(const NodeMap& node_map, const std::vector<Contact>& contacts,
                                    const Secret& secret,
                                    std::chrono::seconds patience = std::chrono::seconds(10));

 private:
  AgentBootstrap();

  std::unique_ptr<EventLoop> loop_;
  std::unique_ptr<Admission> admission_;
  std::vector<Endpoint> endpoints_;
};

}  // namespace emu::wire
