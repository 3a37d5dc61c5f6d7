// One end of a stream of frames between two agents, on an event loop. Never blocks.
#pragma once

#include <boost/asio/buffer.hpp>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "wire/agent/event_loop.h"
#include "wire/agent/frame.h"
#include "wire/agent/frame_reader.h"
#include "wire/agent/peer.h"
#include "wire/agent/send_queue.h"

namespace emu::wire {

class Connection {
 public:
  // `socket`: a connected stream socket. `sink` gets the frames that arrive, while the loop runs, and outlives the
  // connection.
  Connection(EventLoop& loop, Descriptor socket, FrameSink& sink, const FrameLimits& limits);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // --- out
  // Begins a frame. put() has to follow, with `head.bytes` bytes in all.
  void begin(const FrameHead& head) { out_.copy(bytes_of(head)); }
  void put(std::span<const std::byte> bytes) { out_.copy(bytes); }
  // As put(), without a copy: `bytes` must stay valid until `sent` is called.
  void put(std::span<const std::byte> bytes, std::function<void()> sent) {
    out_.borrow(bytes, std::move(sent));
  }
  // Gives the system as many bytes as it takes. The loop wakes when it takes more. False: the other end is gone.
  bool flush();
  bool pending() const { return !out_.empty(); }
  // No more bytes follow: the other end sees the end of the stream after the pending bytes.
  void finish_writing() { finished_ = true; }

  // --- in
  // Begins to read. `gone` is called once, when the other end is gone or has sent something that is not a frame.
  void start(std::function<void()> gone);

  // The reason why the other end is gone.
  const std::string& reason() const { return reason_; }

 private:
  void read();
  bool fail(const boost::system::error_code& why);

  StreamSocket socket_;
  FrameReader reader_;
  SendQueue out_;
  std::vector<boost::asio::const_buffer> buffers_;
  std::function<void()> gone_;
  bool finished_ = false;
  bool waits_for_room_ = false;
  std::string reason_;
};

}  // namespace emu::wire
