// Reassembly of frames from a stream of bytes, which may be cut anywhere. Knows nothing of sockets.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "wire/agent/frame.h"

namespace emu::wire {

// Receiver of the frames of one connection.
class FrameSink {
 public:
  virtual ~FrameSink() = default;
  // Memory for the body of a frame that is long and not complete yet; null: the reader provides it. Its take() is the
  // next call.
  virtual std::byte* place(const FrameHead& head) = 0;
  // A complete frame. `body`: what place() returned, or memory that is valid during the call.
  virtual void take(const FrameHead& head, std::byte* body) = 0;
};

class FrameReader {
 public:
  // `sink` outlives the reader.
  FrameReader(FrameSink& sink, const FrameLimits& limits);

  // Where the next bytes of the stream are to be stored. Never empty.
  std::span<std::byte> room();
  // That many bytes were stored there. Gives the sink the frames that are complete now. False: the bytes are no frame, and
  // nothing more can be read.
  bool received(std::size_t bytes);

  // Why received() was false.
  const std::string& reason() const { return reason_; }
  // Memory that the reader holds.
  std::size_t memory() const { return buffer_.capacity() + own_.capacity(); }

 private:
  static constexpr std::size_t buffer_bytes = 64 << 10;
  // Bodies that are longer are not assembled in the buffer, which would copy them once more.
  static constexpr std::size_t longest_assembled = 8 << 10;

  bool received_in_buffer(std::size_t bytes);
  void begin_body(const FrameHead& head, std::span<const std::byte> first);
  void end_body();

  FrameSink& sink_;
  const FrameLimits limits_;
  std::vector<std::byte> buffer_;
  std::size_t held_ = 0;  // bytes in the buffer

  // The long body under way, if there is one.
  bool in_body_ = false;
  FrameHead head_{};
  std::byte* placed_ = nullptr;  // by the sink; null: in own_, which grows as bytes arrive
  std::vector<std::byte> own_;
  std::size_t body_held_ = 0;

  std::string reason_;
};

}  // namespace emu::wire
