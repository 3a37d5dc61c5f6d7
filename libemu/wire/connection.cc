#include "wire/connection.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace emu::wire {

Connection::Connection(int fd) : fd_(fd), in_(64 << 10) {
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  const auto set = [fd](int level, int option, int value) {
    setsockopt(fd, level, option, &value, sizeof value);
  };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  // A host that disappears says nothing: the system is to notice within some seconds, whether there is
  // something to send or not.
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 2);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 1);
  set(IPPROTO_TCP, TCP_KEEPCNT, 5);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, 7000);
}

Connection::Connection(Connection&& other) noexcept
    : fd_(other.fd_),
      out_(std::move(other.out_)),
      in_(std::move(other.in_)),
      sent_(other.sent_),
      received_(other.received_) {
  other.fd_ = -1;
}

Connection::~Connection() {
  if (fd_ >= 0) close(fd_);
}

bool Connection::gone(const char* what) {
  reason_ = what;
  return false;
}

bool Connection::flush() {
  while (sent_ < out_.size()) {
    const ssize_t n = send(fd_, out_.data() + sent_, out_.size() - sent_, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return true;
    if (n < 0) return gone(std::strerror(errno));
    sent_ += static_cast<std::size_t>(n);
  }
  out_.clear();
  sent_ = 0;
  if (finished_) shutdown(fd_, SHUT_WR);
  return true;
}

bool Connection::read(const Take& take) {
  for (;;) {
    const ssize_t n = recv(fd_, in_.data() + received_, in_.size() - received_, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return true;
    if (n < 0) return gone(std::strerror(errno));
    if (n == 0) return gone("it closed the connection");
    received_ += static_cast<std::size_t>(n);
    std::size_t at = 0, whole = 0;
    for (; received_ - at >= sizeof(FrameHead); at += whole) {
      FrameHead head;
      std::memcpy(&head, in_.data() + at, sizeof head);
      whole = sizeof head + head.bytes;
      if (received_ - at < whole) break;
      take(head, in_.data() + at + sizeof head);
      whole = sizeof head + head.bytes;
    }
    std::copy(in_.data() + at, in_.data() + received_, in_.data());
    received_ -= at;
    // Room for all of the frame that has begun.
    if (received_ >= sizeof(FrameHead)) in_.resize(std::max(in_.size(), whole));
  }
}

}  // namespace emu::wire
