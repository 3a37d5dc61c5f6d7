// Establishment of the connections between the agents of a job. Each agent listens for those of later nodes, lets the
// process manager hand out where, and calls those of earlier nodes.
//
// An agent listens only on the addresses by which machines of the job reach its own: on the loopback for nodes of the same
// machine, on the addresses towards the other machines for nodes there, on none if no later node exists.
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
  std::uint64_t id = 0;  // equal: one machine and one network
  std::string name;      // of the host, for messages
  std::vector<Address> addresses;
};

// How a node's agent can be reached. A node of the same machine uses the loopback addresses, and others the other ones.
struct Contact {
  Machine machine;
  std::vector<Endpoint> endpoints;
};

class AgentBootstrap {
 public:
  AgentBootstrap(AgentBootstrap&&) = default;

  // Listens for the agents of later nodes. `machines`: of all nodes.
  static Result<AgentBootstrap> listen(const NodeMap& node_map, const std::vector<Machine>& machines);

  // Where it listens.
  const std::vector<Endpoint>& endpoints() const { return endpoints_; }

  // The agents of all other nodes, in the order of their nodes. `contacts`: of all nodes. Waits for `patience` at most. The
  // failure names the node that is missing, and why.
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
