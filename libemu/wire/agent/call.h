// Calling side of one connection between agents: tries the addresses of the other agent one after the other, until one
// proves that it is that agent.
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

  // `done` is called once, while the loop runs: with the socket, or with what was tried and why it failed.
  using Done = std::function<void(Result<TcpSocket>)>;
  void begin(Done done);

  int to() const { return to_; }
  // What was tried, the attempt under way included.
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
  std::size_t connecting_ = 0;  // next_ while the attempt under way is not connected; 0 otherwise
  std::string failures_;
  TcpSocket socket_;
  Timer timer_;  // of connecting: an address that no route leads to
  Greeting greeting_, challenge_;
  Mac proof_{};
};

}  // namespace emu::wire
