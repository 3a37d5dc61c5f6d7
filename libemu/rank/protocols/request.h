// One pending operation. A request is one state machine for all kinds: rank/semantics.md, "Events".
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

// Result of a completed receive or a probe. For sends and null requests: the empty status. An operation that met the
// failure of another rank is complete too.
struct Status {
  int source = match::any_source;  // rank in the communicator
  int tag = match::any_tag;
  model::Bytes bytes = 0;  // of the message
  bool truncated = false;  // the buffer was shorter than the message
  bool mismatched =
      false;  // the message ends inside an element of the buffer's datatype; or, of a collective,
              // the members do not agree about lengths
  bool cancelled = false;  // the program cancelled the operation
  int failed = -1;         // the rank in MPI_COMM_WORLD whose failure ended the operation
};

struct Request : match::Posted {
  enum class State : std::uint8_t {
    requested,   // send: its request, or its synchronous data, have left; the answer has not been handled
    posted,      // receive: posted; `matched` is its message, if any
    answered,    // receive: has answered a request, and waits for the data
    accessing,   // an access to a file, or a sleep
    background,  // represents a collective under way
    complete,
    forgotten,  // given up with its collective; the peer may still answer
  };
  // The operation that this request is part of, if the request is not the program's own.
  class Owner {
   public:
    virtual ~Owner() = default;
    // The request has become complete. May return the request to the pool.
    virtual void completed() = 0;
  };

  // Notifications to a call that waits for the request among many.
  struct Watch {
    virtual ~Watch() = default;
    virtual void there(Request&) = 0;      // the message that completes it has arrived
    virtual void not_there(Request&) = 0;  // that message no longer completes it
    virtual void answered(Request&) = 0;   // it awaits data
    virtual void over(Request&) = 0;
  };

  State state = State::posted;
  bool receive = false;
  bool prompt = false;       // its completion costs nothing
  bool freed = false;        // the program does not wait for it: it ends by itself
  bool probed = false;       // receive: a matched probe has taken its message for it
  bool lost = false;         // the program may be unable to wait for it: its data go to the buffer on arrival
  bool filled = false;       // they are there
  bool data_coming = false;  // receive, rendezvous: its data are in transit
  int peer = match::any_source;  // rank in MPI_COMM_WORLD, for the deadlock report
  int tag = 0;
  static constexpr std::uint64_t never_sent = ~std::uint64_t{0};
  std::uint64_t sent =
      never_sent;  // of a send that may be unmatched: sequence number of its message among all of this rank
  // The answer that completes the request (rank/protocols/windows.h):
  // of a one-sided operation, or of the cancellation of a send.
  void* answer = nullptr;
  Buffer buffer;
  Status status;
  Owner* owner = nullptr;
  Watch* watch = nullptr;
  const Goal* whole = nullptr;  // state background: the goal that it represents, while incomplete

  // Rendezvous. Send: the answer, once it has arrived. Receive: the data, once they have arrived.
  match::Message* handshake = nullptr;
  std::unique_ptr<std::byte[]> own_copy;  // buffered mode: the data, packed; freed with the request
  std::unique_ptr<Access> access;         // to a file, or a sleep
  const Communicator* comm = nullptr;     // of a receive from any source, if failures are noticed
  Instant looked = Instant::never();      // rank/polling.h; may be older than the current polling
  int doubt = -1;  // such a receive: the failed rank that may have been its source, for this call

  bool complete() const { return state == State::complete; }
  void finish() {
    state = State::complete;
    if (watch) [[unlikely]]
      watch->over(*this);
  }
  // The current call has nothing left to wait for.
  bool over() const { return complete() || doubt >= 0; }
  // Receives: the message that completes it; null if it has not arrived.
  match::Message* message() const {
    if (state == State::answered) return handshake;
    const bool here = state == State::posted && matched && !matched->in_transit &&
                      matched->kind != match::Message::Kind::request;
    return here ? matched : nullptr;
  }
};

}  // namespace emu::rank
