// How the agents of a job find each other: each listens, says where, and calls those of the nodes before its
// own.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/failure.h"
#include "wire/agent.h"
#include "wire/node_map.h"

namespace emu::wire {

// How a node's agent can be reached, as all nodes are told. Texts end with a zero.
struct Contact {
  std::array<char, 64> host;        // its name
  std::array<char, 448> addresses;  // numeric, separated by blanks
  std::uint64_t machine;            // the same number: the same machine and network
  std::uint16_t port;               // network byte order
};

class Listener {
 public:
  static Result<Listener> open(std::uint64_t machine);
  Listener(Listener&& other) noexcept : fd_(other.fd_), contact_(other.contact_) { other.fd_ = -1; }
  Listener& operator=(Listener&& other) noexcept {
    std::swap(fd_, other.fd_);
    std::swap(contact_, other.contact_);
    return *this;
  }
  ~Listener();

  int fd() const { return fd_; }
  const Contact& contact() const { return contact_; }

 private:
  explicit Listener(int fd) : fd_(fd) {}
  int fd_;
  Contact contact_{};
};

// "node 1 (host, ranks 4-7)"
std::string name_of(int node, const Contact& contact, const std::vector<int>& ranks);

// A connection to the agent of each other node. `contacts`: of all nodes; `job`: a number that only this job
// knows. Waits for ten seconds at most; the failure names the node that was missing, and why.
Result<std::vector<Peer>> meet(const Listener& listener, const NodeMap& node_map,
                               const std::vector<Contact>& contacts, std::uint64_t job);

// Before the agents run: `text` goes to that node's, which waits for it, however long that takes. Failure: the other
// end is gone.
Result<void> tell(const Peer& peer, const std::string& text);
Result<std::string> hear(const Peer& peer);

}  // namespace emu::wire
