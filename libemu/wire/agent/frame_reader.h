// Reassembly of frames from a stream of bytes, which may be split anywhere. Independent of sockets.
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
  // Returns memory for the body of a long frame that is not complete yet; null:
  // the reader provides the memory. The next call is take() of this frame.
  virtual std::byte* place(const FrameHead& head) = 0;
  // Receives a complete frame. `body`: the memory from place(), or memory that is valid during the call.
  virtual void take(const FrameHead& head, std::byte* body) = 0;
};

class FrameReader {
 public:
  // `sink` outlives the reader.
  FrameReader(FrameSink& sink, const FrameLimits& limits);

  // Memory for the next bytes of the stream. Never empty.
  std::span<std::byte> room();
  // `bytes` bytes were stored there. Gives the frames that are now complete to
  // the sink. False: the bytes are not a frame, and no further bytes can be read.
  bool received(std::size_t bytes);

  // The reason why received() returned false.
  const std::string& reason() const { return reason_; }
  // Size of the memory that the reader holds.
  std::size_t memory() const { return buffer_.capacity() + own_.capacity(); }

 private:
  static constexpr std::size_t buffer_bytes = 64 << 10;
  // Longer bodies are not assembled in the buffer, because that would copy them once more.
  static constexpr std::size_t longest_assembled = 8 << 10;

  bool received_in_buffer(std::size_t bytes);
  void begin_body(const FrameHead& head, std::span<const std::byte> first);
  void end_body();

  FrameSink& sink_;
  const FrameLimits limits_;
  std::vector<std::byte> buffer_;
  std::size_t held_ = 0;  // bytes in the buffer

  // The current long body, if any.
  bool in_body_ = false;
  FrameHead head_{};
  std::byte* placed_ = nullptr;  // from the sink; null: in own_, which grows as bytes arrive
  std::vector<std::byte> own_;
  std::size_t body_held_ = 0;

  std::string reason_;
};

}  // namespace emu::wire
