#include "wire/agent/peer.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <cstdint>

#include "wire/agent/event_loop.h"

namespace emu::wire {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr std::uint64_t longest_text = 1 << 30;

// Temporary use of a peer's socket. Operations block.
class Borrowed {
 public:
  explicit Borrowed(const Peer& peer)
      : socket_(loop_, asio::generic::stream_protocol(AF_UNSPEC, 0), peer.socket.get()) {}
  Borrowed(const Borrowed&) = delete;
  ~Borrowed() {
    error_code ignored;
    socket_.release(ignored);
  }
  StreamSocket& operator*() { return socket_; }

 private:
  EventLoop loop_{1};
  StreamSocket socket_;
};

tl::unexpected<Failure> lost(const Peer& peer, const error_code& why) {
  return fail("lost " + peer.name + " before the job had started: " +
              (why == asio::error::eof ? "it closed the connection" : why.message()));
}

}  // namespace

Result<void> send_text(const Peer& peer, const std::string& text) {
  Borrowed socket(peer);
  const std::uint64_t bytes = text.size();
  error_code error;
  asio::write(*socket, std::array{asio::buffer(&bytes, sizeof bytes), asio::buffer(text)}, error);
  if (error) return lost(peer, error);
  return {};
}

Result<std::string> receive_text(const Peer& peer) {
  Borrowed socket(peer);
  std::uint64_t bytes = 0;
  error_code error;
  asio::read(*socket, asio::buffer(&bytes, sizeof bytes), error);
  if (error) return lost(peer, error);
  if (bytes > longest_text)
    return fail("invalid length of a text from " + peer.name + ": " + std::to_string(bytes) +
                " bytes (expected " + std::to_string(longest_text) + " at most)");
  std::string text;
  asio::read(*socket, asio::dynamic_buffer(text, bytes), asio::transfer_exactly(bytes), error);
  if (error) return lost(peer, error);
  return text;
}

}  // namespace emu::wire
