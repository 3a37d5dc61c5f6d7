// Sends and receives of one rank: start, matching, end. Also accesses to files and sleeps, which end by
// themselves.
#pragma once

#include "match/queue.h"
#include "rank/core.h"
#include "rank/egress.h"
#include "rank/protocols/operations.h"
#include "rank/protocols/rendezvous.h"
#include "rank/protocols/windows.h"
#include "rank/scheduler.h"

namespace emu::rank {

class PointToPoint final : public Operations, public Arrivals {
 public:
  // All arguments outlive the object.
  PointToPoint(Core& core, match::Queue& queue, RequestPool& pool, Egress& egress, Rendezvous& rendezvous,
               Windows& windows)
      : core_(core), queue_(queue), pool_(pool), egress_(egress), rendezvous_(rendezvous), windows_(windows) {
    rendezvous_.end_receives_by(*this);
  }

  // --- starting
  Request* start_send(match::Context context, const Communicator& comm, int to, int tag, const Buffer& data,
                      Mode mode) override;
  Request* start_receive(match::Context context, const Communicator& comm, int from, int tag,
                         const Buffer& into) override;
  Request* start_access(model::Bytes bytes) override;
  Request* start_sleep(Interval d) override;
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

  // --- ending
  Event ending(Protocol& protocol, Request* request, Instant entered) const override;
  void end(const Event& event) override;
  void cancel(Request* request) override;
  void free(Request* request) override;
  void drop(Request* request) override;
  // The program may never complete the receive, though it was not freed.
  void lose(Request* receive);
  // Completes the request with the failure of a rank.
  void fail(Request* request, int failed);

 private:
  void lost(match::Message* message, Instant at);
  void take(match::Message* message);
  Request* complete_send(int peer);
  void complete(Receive* receive);
  [[gnu::cold]] void keep_met(const Receive& receive, int source);
  [[gnu::cold]] void fill_early(Receive* receive);
  Event end_of_receive(Protocol& protocol, Receive* receive, Instant entered) const;
  [[gnu::noinline]] Event end_of_send(Protocol& protocol, Send* send, Instant entered) const;
  [[gnu::noinline]] static Event end_of_access(Protocol& protocol, Timed* timed);
  [[gnu::noinline]] void complete_access(Timed* timed);
  [[gnu::cold]] void end_unanswered(Send* send);
  // Undoes the effects of an incomplete request.
  void withdraw(Request* request);

  Core& core_;
  match::Queue& queue_;
  RequestPool& pool_;
  Egress& egress_;
  Rendezvous& rendezvous_;
  Windows& windows_;
};

}  // namespace emu::rank
