// Frames that agents exchange: a head and a body, in a stream, in sending order. The handshake
// checks that all processes of a job run the same build, so head and body are copies of memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace emu::wire {

struct FrameHead {
  enum class Kind : std::uint32_t {
    message,     // a match::Message and its payload
    taken_in,    // only `received`
    ask,         // int64: report once your bound is at least this
    report,      // a report as in cut.h: ReportHead and its parts, frame_body.h
    finished,    // Finished, one for each rank of the node: all have finished
    suspect,     // to node 0: all ranks seem to wait forever
    waits,       // from node 0, empty: send the waits of your ranks. To node 0: Waiter, one for each rank
    last_words,  // to node 0, a text: the reason why the job ends
  };
  static constexpr std::size_t kinds = 8;

  Kind kind;
  std::uint32_t reserved = 0;
  std::uint64_t bytes;     // size of the body
  std::uint64_t received;  // messages that the sender of this frame has taken in from its receiver
};

// Sizes that the body of a frame may have. Default: none.
struct FrameSizes {
  std::uint64_t least = 1, most = 0;
  std::uint64_t unit = 1;  // bytes beyond `least` are a multiple of this

  bool allow(std::uint64_t bytes) const {
    return bytes >= least && bytes <= most && (bytes - least) % unit == 0;
  }
};
// By FrameHead::Kind.
using FrameLimits = std::array<FrameSizes, FrameHead::kinds>;

// A value as bytes of a frame, and a value read from a frame.
template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}
template <class T>
T take_from(const std::byte*& bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  bytes += sizeof value;
  return value;
}

}  // namespace emu::wire
