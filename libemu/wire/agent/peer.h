// Connected agent of another node, from the start of the job until this node's agent starts.
#pragma once

#include <unistd.h>

#include <string>
#include <utility>

#include "base/failure.h"

namespace emu::wire {

// Open file descriptor. The destructor closes it.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }

  int get() const { return fd_; }
  // The caller closes it.
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

struct Peer {
  int node;
  std::string name;   // of the node, for error messages
  Descriptor socket;  // a connected stream socket
};

// Sends a text to a peer, before the agents run. Waits until the system has taken all of it. Fails if the connection is
// lost.
Result<void> send_text(const Peer& peer, const std::string& text);
// Waits, without a time limit, for a text that the peer sends by send_text(). Fails if the connection
// is lost, or if the text would be longer than 1 GiB. Memory is allocated as the bytes arrive.
Result<std::string> receive_text(const Peer& peer);

}  // namespace emu::wire
