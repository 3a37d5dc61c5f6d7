// Frames that agents exchange: a head and its body, in a stream, in the order in which they were sent. All processes of a
// job run the same build, which the handshake checks; so head and body are copies of what lies in memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace emu::wire {

struct FrameHead {
  enum class Kind : std::uint32_t {
    message,     // a match::Message and what it carries
    taken_in,    // nothing but `received`
    ask,         // int64: report once your bound is no less
    report,      // what cut.h says: ReportHead and what follows it, frame_body.h
    finished,    // Finished, one for each rank of the node: all have
    suspect,     // to node 0: everybody seems to wait for ever
    waits,       // from node 0, empty: tell who waits for what. To node 0: Waiter, one for each rank
    last_words,  // to node 0, a text: why the job is to end
  };
  static constexpr std::size_t kinds = 8;

  Kind kind;
  std::uint32_t reserved = 0;
  std::uint64_t bytes;     // behind the head
  std::uint64_t received;  // messages that the sender of this has taken in from its receiver
};

// Numbers of bytes that the body of a frame may have. None, unless it is said.
struct FrameSizes {
  std::uint64_t least = 1, most = 0;
  std::uint64_t unit = 1;  // bytes beyond `least` are a multiple of it

  bool allow(std::uint64_t bytes) const {
    return bytes >= least && bytes <= most && (bytes - least) % unit == 0;
  }
};
// By FrameHead::Kind.
using FrameLimits = std::array<FrameSizes, FrameHead::kinds>;

// A value as it stands in a frame, and one that is read from there.
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
