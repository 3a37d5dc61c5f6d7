#include "wire/agent/call.h"

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

constexpr std::chrono::seconds longest_connect(3);

std::string name_of(const Endpoint& endpoint) {
  return endpoint.address().to_string() + " port " + std::to_string(endpoint.port());
}

}  // namespace

AgentCall::AgentCall(EventLoop& loop, const Secret& secret, std::uint64_t build, int node, int to,
                     std::vector<Endpoint> endpoints)
    : loop_(loop),
      secret_(secret),
      build_(build),
      node_(node),
      to_(to),
      endpoints_(std::move(endpoints)),
      socket_(loop),
      timer_(loop) {}

void AgentCall::begin(Done done) {
  done_ = std::move(done);
  try_next();
}

std::string AgentCall::tried() const {
  std::string text = failures_;
  if (next_ > 0 && next_ <= endpoints_.size() && socket_.is_open())
    text += (text.empty() ? "" : "; ") + name_of(endpoints_[next_ - 1]) + ": no agent answers";
  return text.empty() ? "it has no address that this node can use" : text;
}

void AgentCall::try_next() {
  if (next_ == endpoints_.size()) return done_(fail(tried()));
  const Endpoint& to = endpoints_[next_++];
  error_code error;
  socket_.close(error);
  socket_.open(to.protocol(), error);
  if (error) return failed(error.message());
  fcntl(socket_.native_handle(), F_SETFD, FD_CLOEXEC);
  timer_.expires_after(longest_connect);
  timer_.async_wait([this, attempt = next_](const error_code& cancelled) {
    error_code ignored;
    if (!cancelled && connecting_ == attempt) socket_.close(ignored);
  });
  connecting_ = next_;
  socket_.async_connect(to, [this](const error_code& why) {
    connecting_ = 0;
    timer_.cancel();
    if (!why) return greet();
    failed(why == asio::error::operation_aborted ? "no answer within three seconds" : why.message());
  });
}

void AgentCall::failed(const std::string& why) {
  failures_ += (failures_.empty() ? "" : "; ") + name_of(endpoints_[next_ - 1]) + ": " + why;
  error_code ignored;
  socket_.close(ignored);
  try_next();
}

void AgentCall::greet() {
  greeting_ = make_greeting(secret_, build_, node_, to_);
  asio::async_write(
      socket_, asio::buffer(&greeting_, sizeof greeting_), [this](const error_code& error, std::size_t) {
        if (error) return failed("no agent answers");
        asio::async_read(
            socket_, asio::buffer(&challenge_, sizeof challenge_),
            [this](const error_code& why, std::size_t) { why ? failed("no agent answers") : answer(); });
      });
}

void AgentCall::answer() {
  if (!authentic_challenge(secret_, greeting_, challenge_) || challenge_.node != to_ ||
      challenge_.to != node_)
    return failed("no agent of this job answers");
  if (challenge_.build != build_)
    return failed("it runs another version of libemu (protocol " + std::to_string(challenge_.build) +
                  ", here it is " + std::to_string(build_) + ")");
  proof_ = make_proof(secret_, greeting_, challenge_);
  asio::async_write(socket_, asio::buffer(proof_), [this](const error_code& error, std::size_t) {
    if (error) return failed("no agent answers");
    done_(std::move(socket_));
  });
}

}  // namespace emu::wire
