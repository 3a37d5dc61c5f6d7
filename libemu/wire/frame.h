// What agents say to each other: frames in a stream, in the order in which they were put in. All nodes of a
// job run the same build, which the greeting makes sure of: frames are what lies in memory.
#pragma once

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
    report,      // what cut.h says, see agent.cc
    finished,    // Finished, one for each rank of the node: all have
    suspect,     // to node 0: everybody seems to wait for ever
    waits,       // from node 0, empty: tell who waits for what. To node 0: Waiter, one for each rank
    last_words,  // to node 0, a text: why the job is to end
  };
  Kind kind;
  std::uint32_t reserved = 0;
  std::uint64_t bytes;     // behind the head
  std::uint64_t received;  // messages that the sender of this has taken in from its receiver
};

// The first thing that either end of a connection says.
struct Greeting {
  std::uint64_t job;    // the same number on all nodes of a job
  std::uint64_t build;  // as above
  std::int32_t node;    // who speaks
  std::int32_t to;      // and whom it believes to speak to
};

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
