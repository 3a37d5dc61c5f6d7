#include "wire/agent/admission.h"

#include <fcntl.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <utility>

namespace emu::wire {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;

}  // namespace

struct Admission::Caller {
  explicit Caller(TcpSocket from) : socket(std::move(from)) {}
  TcpSocket socket;
  Greeting greeting, challenge;
  Mac proof{};
};

Result<Endpoint> Admission::listen(const Address& address) {
  TcpAcceptor acceptor(loop_);
  Endpoint at(address, 0);
  error_code error;
  acceptor.open(at.protocol(), error);
  if (!error) fcntl(acceptor.native_handle(), F_SETFD, FD_CLOEXEC);
  if (!error) acceptor.bind(at, error);
  if (!error) acceptor.listen(TcpAcceptor::max_listen_connections, error);
  if (!error) at = acceptor.local_endpoint(error);
  if (error) return fail("cannot listen on " + address.to_string() + ": " + error.message());
  acceptors_.push_back(std::move(acceptor));
  return at;
}

void Admission::begin(const Secret& secret, std::uint64_t build, int node, int expected, Admitted admitted) {
  secret_ = secret;
  build_ = build;
  node_ = node;
  expected_ = static_cast<std::size_t>(expected);
  admitted_ = std::move(admitted);
  for (TcpAcceptor& acceptor : acceptors_) accept(acceptor);
}

void Admission::accept(TcpAcceptor& acceptor) {
  acceptor.async_accept([this, &acceptor](const error_code& error, TcpSocket socket) {
    if (error == asio::error::operation_aborted) return;
    if (!error) {
      take(std::move(socket));
    } else if (!disconnect_first()) {
      // Probably no file descriptor is free. Others may close one.
      pause_.expires_after(std::chrono::milliseconds(10));
      return pause_.async_wait([this, &acceptor](const error_code& over) {
        if (!over) accept(acceptor);
      });
    }
    accept(acceptor);
  });
}

void Admission::take(TcpSocket socket) {
  fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);
  const auto caller = std::make_shared<Caller>(std::move(socket));
  strangers_.push_back(caller);
  if (strangers_.size() > limit()) disconnect_first();
  asio::async_read(
      caller->socket, asio::buffer(&caller->greeting, sizeof caller->greeting),
      [this, caller](const error_code& error, std::size_t) {
        strangers_.remove(caller);
        if (!error && authentic_greeting(*secret_, caller->greeting) && caller->greeting.to == node_)
          challenge(caller);
      });
}

bool Admission::disconnect_first() {
  if (strangers_.empty()) return false;
  error_code ignored;
  strangers_.front()->socket.close(ignored);
  strangers_.pop_front();
  return true;
}

// A caller of another build gets the challenge as well, so that it can report both builds.
void Admission::challenge(const std::shared_ptr<Caller>& caller) {
  caller->challenge = make_challenge(*secret_, build_, caller->greeting);
  asio::async_write(caller->socket, asio::buffer(&caller->challenge, sizeof caller->challenge),
                    [this, caller](const error_code& error, std::size_t) {
                      if (!error && caller->greeting.build == build_) await_proof(caller);
                    });
}

void Admission::await_proof(const std::shared_ptr<Caller>& caller) {
  asio::async_read(
      caller->socket, asio::buffer(caller->proof), [this, caller](const error_code& error, std::size_t) {
        if (!error && authentic_proof(*secret_, caller->greeting, caller->challenge, caller->proof))
          admitted_(caller->greeting.node, std::move(caller->socket));
      });
}

}  // namespace emu::wire
