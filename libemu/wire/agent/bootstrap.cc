#include "wire/agent/bootstrap.h"

#include <algorithm>
#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/ip/address_v6.hpp>
#include <chrono>
#include <list>
#include <optional>
#include <utility>

#include "base/ranks.h"
#include "match/message.h"
#include "record/summary.h"
#include "wire/agent/call.h"
#include "wire/deadlock.h"

namespace emu::wire {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;

// Version of the frame layout and the handshake.
constexpr std::uint64_t build =
    sizeof(match::Message) << 32 | sizeof(record::RankSummary) << 16 | sizeof(Waiter) << 4 | 3;

// Name of each node, such as "node 1 (host, ranks 4-7)".
std::vector<std::string> names_of(const std::vector<Contact>& contacts, const NodeMap& node_map) {
  std::vector<std::vector<int>> ranks(contacts.size());
  for (int rank = 0; rank < node_map.ranks(); ++rank)
    ranks[static_cast<std::size_t>(node_map.node_of(rank))].push_back(rank);
  std::vector<std::string> names;
  for (std::size_t node = 0; node < contacts.size(); ++node)
    names.push_back("node " + std::to_string(node) + " (" + contacts[node].machine.name + ", " +
                    in_words(ranks[node]) + ")");
  return names;
}

std::vector<Address> loopback() {
  return {asio::ip::address_v4::loopback(), asio::ip::address_v6::loopback()};
}

std::string list_addresses(const std::vector<Address>& addresses) {
  std::string text;
  for (const Address& a : addresses) text += (text.empty() ? "" : ", ") + a.to_string();
  return text.empty() ? "none" : text;
}

// Connections of one agent while they are being established.
class Start {
 public:
  Start(const NodeMap& node_map, const std::vector<Contact>& contacts)
      : node_map_(node_map), names_(names_of(contacts, node_map)), sockets_(contacts.size()) {}

  bool over() const { return failure_ || missing() == 0; }
  int missing() const {
    return node_map_.nodes() - 1 - static_cast<int>(std::count_if(sockets_.begin(), sockets_.end(), present));
  }

  // A later node has called. Of several calls, the first counts.
  void admitted(int node, TcpSocket socket) {
    if (node > node_map_.node() && node < node_map_.nodes() && !at(node)) at(node).emplace(std::move(socket));
  }
  // The call to an earlier node has succeeded or failed.
  void called(int node, Result<TcpSocket> socket) {
    if (socket)
      at(node).emplace(std::move(*socket));
    else
      failure_ = unreachable(node, socket.error().message);
  }

  Result<std::vector<Peer>> result(const std::list<AgentCall>& calls, std::chrono::seconds patience) {
    if (failure_) return tl::unexpected(*failure_);
    for (const AgentCall& call : calls)
      if (!at(call.to())) return tl::unexpected(unreachable(call.to(), call.tried()));
    std::vector<Peer> peers;
    for (int node = 0; node < node_map_.nodes(); ++node) {
      if (node == node_map_.node()) continue;
      if (!at(node))
        return fail(name(node) + " did not call " + name(node_map_.node()) + " within " +
                    std::to_string(patience.count()) +
                    " s. The nodes of a job must reach each other by TCP: check firewalls and "
                    "networks");
      error_code error;
      Descriptor socket(at(node)->release(error));
      if (error) return fail("cannot take over the connection to " + name(node) + ": " + error.message());
      peers.push_back({node, name(node), std::move(socket)});
    }
    return peers;
  }

 private:
  static bool present(const std::optional<TcpSocket>& socket) { return socket.has_value(); }
  std::optional<TcpSocket>& at(int node) { return sockets_[static_cast<std::size_t>(node)]; }
  const std::string& name(int node) const { return names_[static_cast<std::size_t>(node)]; }
  Failure unreachable(int node, const std::string& tried) const {
    return {"cannot reach " + name(node) + " from " + name(node_map_.node()) + ": " + tried +
            ". The nodes of a job must reach each other by TCP: check names, firewalls and networks"};
  }

  const NodeMap& node_map_;
  const std::vector<std::string> names_;
  std::vector<std::optional<TcpSocket>> sockets_;  // by node
  std::optional<Failure> failure_;
};

}  // namespace

AgentBootstrap::AgentBootstrap()
    : loop_(std::make_unique<EventLoop>(1)), admission_(std::make_unique<Admission>(*loop_)) {}

Result<AgentBootstrap> AgentBootstrap::listen(const NodeMap& node_map, const std::vector<Machine>& machines) {
  const auto self = static_cast<std::size_t>(node_map.node());
  AgentBootstrap bootstrap;
  bool here = false, elsewhere = false;
  std::vector<Address> theirs;
  for (std::size_t node = self + 1; node < machines.size(); ++node) {
    if (machines[node].id == machines[self].id) {
      here = true;
    } else {
      elsewhere = true;
      theirs.insert(theirs.end(), machines[node].addresses.begin(), machines[node].addresses.end());
    }
  }
  std::string why;
  const auto listen_on = [&](const Address& address) {
    const auto endpoint = bootstrap.admission_->listen(address);
    if (endpoint)
      bootstrap.endpoints_.push_back(*endpoint);
    else
      why += "; " + endpoint.error().message;
    return endpoint.has_value();
  };
  if (here) {
    const auto local = loopback();
    if (std::none_of(local.begin(), local.end(), listen_on))
      return fail("cannot listen for other nodes of this machine" + why);
  }
  if (elsewhere) {
    const auto own = addresses_towards(theirs, machines[self].addresses);
    if (std::count_if(own.begin(), own.end(), listen_on) == 0)
      return fail("cannot listen for other nodes: no address of " + machines[self].name + " (" +
                  list_addresses(machines[self].addresses) + ") leads to another machine of the job (" +
                  list_addresses(theirs) + ")" + why);
  }
  return bootstrap;
}

Result<std::vector<Peer>> AgentBootstrap::connect(const NodeMap& node_map,
                                                  const std::vector<Contact>& contacts, const Secret& secret,
                                                  std::chrono::seconds patience) {
  const int self = node_map.node();
  Start start(node_map, contacts);
  admission_->begin(secret, build, self, node_map.nodes() - 1 - self,
                    [&start](int node, TcpSocket socket) { start.admitted(node, std::move(socket)); });
  std::list<AgentCall> calls;
  for (int node = 0; node < self; ++node) {
    const Contact& contact = contacts[static_cast<std::size_t>(node)];
    const bool here = contact.machine.id == contacts[static_cast<std::size_t>(self)].machine.id;
    std::vector<Endpoint> endpoints;
    std::copy_if(contact.endpoints.begin(), contact.endpoints.end(), std::back_inserter(endpoints),
                 [here](const Endpoint& e) { return e.address().is_loopback() == here; });
    calls.emplace_back(*loop_, secret, build, self, node, std::move(endpoints));
    calls.back().begin([&start, node](Result<TcpSocket> socket) { start.called(node, std::move(socket)); });
  }
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!start.over() && loop_->run_one_until(deadline) > 0) {
  }
  return start.result(calls, patience);
}

}  // namespace emu::wire
