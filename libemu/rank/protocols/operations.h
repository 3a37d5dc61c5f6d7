// Interface of point-to-point operations to the parts that use them: calls that wait, collectives, agreements.
#pragma once

#include "rank/event.h"
#include "rank/protocols/requests.h"

namespace emu::rank {

class Operations {
 public:
  virtual ~Operations() = default;

  // Peers are ranks in `comm`, or proc_null; receives also take any_source and any_tag. `context`: the context of the
  // program's messages, or of collectives.
  virtual Request* start_send(match::Context context, const Communicator& comm, int to, int tag,
                              const Buffer& data, Mode mode) = 0;
  virtual Request* start_receive(match::Context context, const Communicator& comm, int from, int tag,
                                 const Buffer& into) = 0;

  // The storage transfers `bytes`, after all earlier accesses of this rank.
  virtual Request* start_access(model::Bytes bytes) = 0;
  // The request is complete after `d`.
  virtual Request* start_sleep(Interval d) = 0;

  // The known event that ends the request, or the wait for it (E3 to E5, E8, E9), for a call, or a wait in a call, that
  // began at `entered`. No event for a send whose answer has arrived (rendezvous offers that).
  virtual Event ending(Protocol& protocol, Request* request, Instant entered) const = 0;
  // Applies such an event to its request.
  virtual void end(const Event& event) = 0;

  // Cancels a receive that certainly has no message yet; the receive is then
  // complete. A receive that has been answered is unchanged, and so is a send.
  virtual void cancel(Request* request) = 0;
  // The request ends by itself; the caller no longer refers to it.
  virtual void free(Request* request) = 0;
  // The request, complete or not, belonged to an operation that is over.
  virtual void drop(Request* request) = 0;
};

}  // namespace emu::rank
