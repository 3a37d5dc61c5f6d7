// Called side of the connections between agents: listens, and admits agents that prove that they know the job's secret.
//
// Anybody who reaches an address of the job can connect. So handshakes run concurrently, none is waited for, each
// reads a fixed number of bytes, and if more strangers are connected than limit(), the one that connected first is
// disconnected. A stranger is a caller that has not sent an authentic greeting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>

#include "base/failure.h"
#include "wire/agent/event_loop.h"
#include "wire/agent/handshake.h"
#include "wire/agent/host_addresses.h"

namespace emu::wire {

class Admission {
 public:
  // `loop` outlives it.
  explicit Admission(EventLoop& loop) : loop_(loop), pause_(loop) {}
  Admission(const Admission&) = delete;
  Admission& operator=(const Admission&) = delete;

  // Listens on a further address, on a port that the system chooses.
  Result<Endpoint> listen(const Address& address);

  // `admitted` gets the number of the caller's node, which is true as long as the secret is kept, and its socket.
  using Admitted = std::function<void(int node, TcpSocket socket)>;
  // Admits callers of this node, `expected` of them, while the loop runs.
  void begin(const Secret& secret, std::uint64_t build, int node, int expected, Admitted admitted);

  // Greatest number of connected strangers: all agents that are expected may still be strangers.
  std::size_t limit() const { return 128 + expected_; }

 private:
  struct Caller;

  void accept(TcpAcceptor& acceptor);
  void take(TcpSocket socket);
  bool disconnect_first();
  void challenge(const std::shared_ptr<Caller>& caller);
  void await_proof(const std::shared_ptr<Caller>& caller);

  EventLoop& loop_;
  Timer pause_;
  std::list<TcpAcceptor> acceptors_;
  std::list<std::shared_ptr<Caller>> strangers_;  // in the order of their connections
  std::optional<Secret> secret_;
  std::uint64_t build_ = 0;
  int node_ = 0;
  std::size_t expected_ = 0;
  Admitted admitted_;
};

}  // namespace emu::wire
