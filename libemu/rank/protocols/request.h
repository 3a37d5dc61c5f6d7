// Pending operations of a rank: the common part of all requests, and one type for each kind.
#pragma once

#include <cstdint>
#include <memory>

#include "match/queue.h"
#include "rank/buffer.h"
#include "rank/communicator.h"
#include "rank/storage.h"

namespace emu::rank {

class Goal;
struct AwaitedResult;  // rank/protocols/windows.h

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

// The common part of all requests.
struct Request {
  enum class Kind : std::uint8_t {
    send,
    receive,
    timed,      // an access to a file, or a sleep
    one_sided,  // a one-sided operation with a result
    composite,  // an operation that consists of others, such as a collective in the background
  };
  enum class State : std::uint8_t {
    requested,  // send: its request, or its synchronous data, have left; the answer has not been handled
    posted,     // receive: posted; `matched` is its message, if any
    answered,   // receive: has answered a request, and waits for the data
    pending,    // other kinds; a complete send that waits for the answer to its cancellation
    complete,
    forgotten,  // send, receive: given up with its collective; the peer may still answer
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

  Request(Kind kind, State state) : kind(kind), state(state) {}

  Kind kind;
  State state;
  bool prompt = false;  // its completion costs nothing
  bool freed = false;   // the program does not wait for it: it ends by itself
  int doubt = -1;  // E5, receives: the failed rank that may have been the source, for this call; -1: none
  int peer = match::any_source;  // rank in MPI_COMM_WORLD, for the deadlock report
  int tag = 0;
  Buffer buffer;  // of the message; composite: only its size, which can be received
  Status status;
  Owner* owner = nullptr;
  Watch* watch = nullptr;
  Instant looked = Instant::never();  // rank/polling.h; may be older than the current polling

  bool complete() const { return state == State::complete; }
  void finish() {
    state = State::complete;
    if (watch) [[unlikely]]
      watch->over(*this);
  }
  // The current call has nothing left to wait for.
  bool over() const { return complete() || doubt >= 0; }
};

struct Send : Request {
  static constexpr Kind of_kind = Kind::send;
  static constexpr std::uint64_t never_sent = ~std::uint64_t{0};

  Send() : Request(of_kind, State::requested) {}

  std::uint64_t sent = never_sent;        // while it may be unmatched: sequence number of its message
  match::Message* answer = nullptr;       // rendezvous: the answer, once it has arrived
  std::unique_ptr<std::byte[]> own_copy;  // buffered mode: the data, packed; freed with the request
  AwaitedResult* cancellation = nullptr;  // MPI_Cancel: the result that says whether it was cancelled
};

struct Receive : Request, match::Posted {
  static constexpr Kind of_kind = Kind::receive;

  Receive() : Request(of_kind, State::posted) {}

  bool probed = false;       // a matched probe has taken its message for it
  bool lost = false;         // the program may be unable to wait for it: its data go to the buffer on arrival
  bool filled = false;       // its data are in the buffer
  bool data_coming = false;  // rendezvous: its data are in transit
  match::Message* data = nullptr;      // rendezvous: the data, once they have arrived
  const Communicator* comm = nullptr;  // from any source, if failures are noticed

  // The message that completes it; null if it has not arrived.
  match::Message* message() const {
    if (state == State::answered) return data;
    const bool here = state == State::posted && matched && !matched->in_transit &&
                      matched->kind != match::Message::Kind::request;
    return here ? matched : nullptr;
  }
};

struct Timed : Request {
  static constexpr Kind of_kind = Kind::timed;

  Timed() : Request(of_kind, State::pending) {}

  Access access;
};

struct OneSided : Request {
  static constexpr Kind of_kind = Kind::one_sided;

  OneSided() : Request(of_kind, State::pending) {}

  AwaitedResult* result = nullptr;
};

struct Composite : Request {
  static constexpr Kind of_kind = Kind::composite;

  Composite() : Request(of_kind, State::pending) {}

  const Goal* goal = nullptr;  // of the operation, while that is under way
  // A send and a receive with one request: the receive, once the send is complete. Its doubt (E5) is the request's.
  const Receive* receive = nullptr;
};

// The request as one of kind R; null: it is of another kind.
template <class R>
R* as(Request* request) {
  return request->kind == R::of_kind ? static_cast<R*>(request) : nullptr;
}
template <class R>
const R* as(const Request* request) {
  return request->kind == R::of_kind ? static_cast<const R*>(request) : nullptr;
}

// A receive that has answered a request, and whose data have not arrived.
inline bool awaits_data(const Request& request) {
  return request.state == Request::State::answered && !static_cast<const Receive&>(request).data;
}

}  // namespace emu::rank
