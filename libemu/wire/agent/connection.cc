#include "wire/agent/connection.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <boost/asio/error.hpp>
#include <utility>

namespace emu::wire {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;

template <int level, int name>
using Option = asio::detail::socket_option::integer<level, name>;

// A host that disappears sends nothing: the system should notice within some seconds, whether or not there are bytes to
// send.
void notice_loss(StreamSocket& socket) {
  error_code ignored;  // a local socket does not have these options
  socket.set_option(Option<IPPROTO_TCP, TCP_NODELAY>(1), ignored);
  socket.set_option(asio::socket_base::keep_alive(true), ignored);
  socket.set_option(Option<IPPROTO_TCP, TCP_KEEPIDLE>(2), ignored);
  socket.set_option(Option<IPPROTO_TCP, TCP_KEEPINTVL>(1), ignored);
  socket.set_option(Option<IPPROTO_TCP, TCP_KEEPCNT>(5), ignored);
  socket.set_option(Option<IPPROTO_TCP, TCP_USER_TIMEOUT>(7000), ignored);
}

}  // namespace

Connection::Connection(EventLoop& loop, Descriptor socket, FrameSink& sink, const FrameLimits& limits)
    : socket_(loop, asio::generic::stream_protocol(AF_UNSPEC, 0), socket.release()), reader_(sink, limits) {
  socket_.non_blocking(true);
  notice_loss(socket_);
  buffers_.reserve(SendQueue::most_pieces);
}

bool Connection::fail(const error_code& why) {
  if (reason_.empty()) reason_ = why == asio::error::eof ? "it closed the connection" : why.message();
  return false;
}

bool Connection::flush() {
  while (pending()) {
    buffers_.clear();
    out_.list(buffers_);
    error_code error;
    const std::size_t n = buffers_.size() == 1 ? socket_.write_some(buffers_.front(), error)
                                               : socket_.write_some(buffers_, error);
    if (error == asio::error::would_block || error == asio::error::try_again) {
      if (!std::exchange(waits_for_room_, true))
        socket_.async_wait(socket_.wait_write, [this](const error_code&) { waits_for_room_ = false; });
      return true;
    }
    if (error) return fail(error);
    out_.sent(n);
  }
  error_code ignored;
  if (finished_) socket_.shutdown(socket_.shutdown_send, ignored);
  return true;
}

void Connection::start(std::function<void()> gone) {
  gone_ = std::move(gone);
  read();
}

void Connection::read() {
  const std::span<std::byte> room = reader_.room();
  socket_.async_read_some(asio::buffer(room.data(), room.size()),
                          [this](const error_code& error, std::size_t n) {
                            if (error == asio::error::operation_aborted) return;
                            if (error)
                              fail(error);
                            else if (reader_.received(n))
                              return read();
                            else
                              reason_ = reader_.reason();
                            gone_();
                          });
}

}  // namespace emu::wire
