// One operation under way. A request is one state machine for all kinds: rank/semantics.md, "Events".
#pragma once

#include <cstdint>
#include <memory>

#include "match/queue.h"
#include "rank/buffer.h"
#include "rank/communicator.h"
#include "rank/storage.h"

namespace emu::rank {

class Goal;

inline constexpr int proc_null = -1;  // as MPI_PROC_NULL: an operation with no peer completes at once, free

enum class Mode {
  standard,     // eager up to S bytes, rendezvous above
  synchronous,  // as standard, but complete only when a receive has matched the message
  buffered,     // as standard, but complete for the caller at once
};

// What a completed receive or a probe found. For sends and null requests: the empty status.
// An operation that met the failure of another rank is complete too.
struct Status {
  int source = match::any_source;  // rank in the communicator
  int tag = match::any_tag;
  model::Bytes bytes = 0;  // of the message
  bool truncated = false;  // the buffer was shorter than the message
  bool mismatched =
      false;  // the message ends inside an element of the buffer's datatype; or, of a collective,
              // the members do not agree about lengths
  bool cancelled = false;  // the program took the receive back
  int failed = -1;         // the rank in MPI_COMM_WORLD whose failure ended the operation
};

struct Request : match::Posted {
  enum class State : std::uint8_t {
    requested,   // send: its request, or its synchronous data, have left, and the answer has not been handled
    posted,      // receive: posted; `matched` tells whether it met a message
    answered,    // receive: answered a request, waits for the data
    accessing,   // of a file, by the storage; or a sleep
    background,  // stands for a collective that is under way
    complete,
    forgotten,  // given up with the collective it belonged to; its peer may still answer
  };
  // Whom it belongs to, if not to the program: an operation made of several.
  class Owner {
   public:
    virtual ~Owner() = default;
    // The request has become complete. May put it back.
    virtual void completed() = 0;
  };

  // Of a call that waits for it among many: what it is told.
  struct Watch {
    virtual ~Watch() = default;
    virtual void there(Request&) = 0;      // the message that completes it is
    virtual void not_there(Request&) = 0;  // any more, nor another one
    virtual void answered(Request&) = 0;   // its data are awaited
    virtual void over(Request&) = 0;
  };

  State state = State::posted;
  bool receive = false;
  bool prompt = false;  // its completion costs nothing
  bool freed = false;   // nobody will wait for it: it ends by itself
  bool probed = false;  // receive: a matched probe has taken its message for it
  bool lost = false;    // perhaps nobody can: what it receives is to be in its buffer as soon as it is here
  bool filled = false;  // it is
  int peer = match::any_source;  // rank in MPI_COMM_WORLD, for the report of a deadlock
  int tag = 0;
  static constexpr std::uint64_t never_sent = ~std::uint64_t{0};
  std::uint64_t sent =
      never_sent;  // of a send that may be unmatched: the place of its message among all of this rank
  // Of a one-sided operation, or of a send while it is asked whether it can be taken back: what the answer goes to that completes
  // it (rank/protocols/windows.h).
  void* answer = nullptr;
  Buffer buffer;
  Status status;
  Owner* owner = nullptr;
  Watch* watch = nullptr;
  const Goal* whole = nullptr;  // state background: what it stands for, as long as it is not complete

  // Rendezvous. Send: the answer, once it is here. Receive: the data, once here.
  match::Message* handshake = nullptr;
  std::unique_ptr<std::byte[]> own_copy;  // buffered mode: the data, packed; freed with the request
  std::unique_ptr<Access> access;         // of a file, or a sleep
  const Communicator* comm = nullptr;     // of a receive from any source, if failures are noticed
  Instant looked = Instant::never();      // rank/polling.h; may be from before the rank did something else
  int doubt = -1;  // such a receive: the failed rank that may have been its source, since the call began

  bool complete() const { return state == State::complete; }
  void finish() {
    state = State::complete;
    if (watch) [[unlikely]]
      watch->over(*this);
  }
  // There is nothing left to wait for in the call at hand.
  bool over() const { return complete() || doubt >= 0; }
  // Receives: the message that completes it, null if it is not here.
  match::Message* message() const {
    if (state == State::answered) return handshake;
    const bool here = state == State::posted && matched && !matched->in_transit &&
                      matched->kind != match::Message::Kind::request;
    return here ? matched : nullptr;
  }
};

}  // namespace emu::rank
