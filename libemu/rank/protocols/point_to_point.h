// Sends and receives of one rank: start, matching, end.
#pragma once

#include "match/queue.h"
#include "rank/core.h"
#include "rank/egress.h"
#include "rank/protocols/rendezvous.h"
#include "rank/protocols/window_server.h"
#include "rank/protocols/windows.h"
#include "rank/scheduler.h"

namespace emu::rank {

class PointToPoint final : public Arrivals {
 public:
  // All arguments outlive the object.
  PointToPoint(Core& core, match::Queue& queue, RequestPool& pool, Egress& egress, Rendezvous& rendezvous,
               WindowServer& window_server, Windows& windows)
      : core_(core),
        queue_(queue),
        pool_(pool),
        egress_(egress),
        rendezvous_(rendezvous),
        window_server_(window_server),
        windows_(windows) {
    rendezvous_.complete_receives_by(*this);
  }

  // --- starting, as in Operations
  Request* start_send(match::Context context, const Communicator& comm, int to, int tag, const Buffer& data,
                      Mode mode);
  Request* start_receive(match::Context context, const Communicator& comm, int from, int tag,
                         const Buffer& into);
  // Starts the receive of a message that a matched probe has taken.
  Request* start_receive(match::Message* taken, const Buffer& into);
  // The parts of start_send(), for a send that needs no request if it is eager:
  // The peer of a send, in MPI_COMM_WORLD, if it is known to have failed: then nothing is sent; else -1.
  int known_failed(const Communicator& comm, int to) const;
  // True if the send is over: no peer, or eager and not synchronous. Otherwise the caller starts a rendezvous.
  bool send_eagerly(match::Context context, const Communicator& comm, int to, int tag, const Buffer& data,
                    Mode mode);
  Request* start_rendezvous(match::Context context, const Communicator& comm, int to, int tag,
                            const Buffer& data, Mode mode);

  // --- arrivals
  bool coming(match::Message* message) override;
  void landed(match::Message* message) override;
  void arrived(match::Message* message) override;
  void matched(match::Queue::Pair pair) override;

  // --- ending: Operations::ending() and end(), and the ends of requests that Operations frees or drops
  Event ending(Protocol& protocol, Receive* receive, Instant entered) const;
  [[gnu::noinline]] Event ending(Protocol& protocol, Send* send, Instant entered) const;
  [[gnu::noinline]] Event ending_by_failure(Protocol& protocol, Receive* receive, Instant entered) const;
  // A send and a receive with one request: the doubt (E5) of the receive. Other events of its parts end these.
  [[gnu::noinline]] Event ending(Protocol& protocol, Composite* request, Instant entered) const;
  // The message of the receive, eager or data, has arrived.
  void complete(Receive* receive);
  // The program has freed the receive, which completes when its message has arrived.
  void freed(Receive* receive);
  [[gnu::cold]] void end_by_failure(const Event& event);
  void cancel(Receive* receive);
  void drop(Receive* receive);
  void drop(Send* send);
  // The program may never complete the receive, though it was not freed.
  void lose(Request* receive);
  // Completes the request with the failure of a rank.
  void fail(Receive* receive, int failed);
  void fail(Send* send, int failed);

 private:
  Event doubt(Protocol& protocol, Request* request, const Communicator& comm, Instant entered) const;
  void lost(match::Message* message, Instant at);
  void take(match::Message* message);
  Request* complete_send(int peer);
  [[gnu::cold]] void keep_met(const Receive& receive, int source);
  [[gnu::cold]] void fill_early(Receive* receive);
  [[gnu::cold]] void complete_freed(Receive* receive);
  [[gnu::cold]] void end_unanswered(Send* send);
  void finish_with_failure(Request* request, int failed);
  // Undoes the effects of an incomplete receive.
  void withdraw(Receive* receive);

  Core& core_;
  match::Queue& queue_;
  RequestPool& pool_;
  Egress& egress_;
  Rendezvous& rendezvous_;
  WindowServer& window_server_;
  Windows& windows_;
  bool freed_hold_messages_ = false;  // false: no freed receive waits for the virtual arrival of its message
};

}  // namespace emu::rank
