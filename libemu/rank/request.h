// One operation under way. A request is one state machine for all kinds: rank/semantics.md, "Events".
#pragma once

#include <cstdint>

#include "match/queue.h"
#include "rank/buffer.h"

namespace emu::rank {

// What a completed receive or a probe found. For sends and null requests: the empty status.
struct Status {
  int source = match::any_source;  // rank in the communicator
  int tag = match::any_tag;
  model::Bytes bytes = 0;  // of the message
  bool truncated = false;  // the buffer was shorter than the message
};

struct Request : match::Posted {
  enum class State : std::uint8_t {
    offered,   // send: its request has left, the answer has not been handled
    posted,    // receive: posted; `bound` tells whether it met a message
    answered,  // receive: answered a request, waits for the data
    complete,
  };
  State state = State::posted;
  bool receive = false;
  bool freed = false;            // nobody will wait for it: it ends by itself
  bool awaited = false;          // in the set that the current call waits for
  int peer = match::any_source;  // rank in MPI_COMM_WORLD, for the report of a deadlock
  int tag = 0;
  Buffer buffer;
  Status status;

  // Rendezvous. Send: the answer, once it is here. Receive: the data, once here.
  match::Message* handshake = nullptr;
  std::byte* own_copy = nullptr;  // buffered mode: the data, packed; freed with the request
  match::Context context = 0;

  bool complete() const { return state == State::complete; }
  // Receives: the message that completes it, null if it is not here.
  match::Message* message() const {
    if (state == State::answered) return handshake;
    return state == State::posted && bound && bound->kind != match::Message::Kind::request ? bound : nullptr;
  }
};

}  // namespace emu::rank
