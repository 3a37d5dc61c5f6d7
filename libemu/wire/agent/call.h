// Calling side of one connection between agents: tries the addresses of the other agent one after the other, until a
// called process proves that it is that agent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/failure.h"
#include "wire/agent/event_loop.h"
#include "wire/agent/handshake.h"
#include "wire/agent/host_addresses.h"

namespace emu::wire {

class AgentCall {
 public:
  // Node `node` calls the agent of node `to`. `loop` and `secret` outlive it.
  AgentCall(EventLoop& loop, const Secret& secret, std::uint64_t build, int node, int to,
            std::vector<Endpoint> endpoints);
  AgentCall(const AgentCall&) = delete;
  AgentCall& operator=(const AgentCall&) = delete;

  // Calls `done` once, while the loop runs: with the socket, or with the list of attempts and errors.
  using Done = std::function<void(Result<TcpSocket>)>;
  void begin(Done done);

  int to() const { return to_; }
  // The attempts, including the current one.
  std::string tried() const;

 private:
  void try_next();
  void greet();
  void answer();
  void failed(const std::string& why);

  EventLoop& loop_;
  const Secret& secret_;
  const std::uint64_t build_;
  const int node_, to_;
  const std::vector<Endpoint> endpoints_;
  Done done_;
  std::size_t next_ = 0;        // of endpoints_
  std::size_t connecting_ = 0;  // next_ while the current attempt is connecting; otherwise 0
  std::string failures_;
  TcpSocket socket_;
  Timer timer_;  // limits connecting, for addresses without a route
  Greeting greeting_, challenge_;
  Mac proof_{};
};

}  // namespace emu::wire
