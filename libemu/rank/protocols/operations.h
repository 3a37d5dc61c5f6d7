// Point-to-point operations, as those see them that are built upon them: calls that wait, collectives, agreements.
#pragma once

#include "rank/event.h"
#include "rank/protocols/requests.h"

namespace emu::rank {

class Operations {
 public:
  virtual ~Operations() = default;

  // Peers are ranks in `comm`, or proc_null; receives also take any_source and any_tag. `context`: that of the
  // program's own messages or of collective ones.
  virtual Request* start_send(match::Context context, const Communicator& comm, int to, int tag,
                              const Buffer& data, Mode mode) = 0;
  virtual Request* start_receive(match::Context context, const Communicator& comm, int from, int tag,
                                 const Buffer& into) = 0;

  // The storage takes `bytes`, behind all that this rank asked of it before.
  virtual Request* start_access(model::Bytes bytes) = 0;
  // It is complete after `d`.
  virtual Request* start_sleep(Interval d) = 0;

  // What ends the request, or the waiting for it, as far as is known (E3 to E5, E8, E9), for a call, or a wait in it,
  // that began at `entered`; none for a send whose answer is here (that is rendezvous').
  virtual Event ending(Protocol& protocol, Request* request, Instant entered) const = 0;
  // Does to the request what such an event does.
  virtual void end(const Event& event) = 0;

  // Takes a receive back that is certain to have no message yet; it is complete then. What has been answered stays, and so do
  // sends.
  virtual void cancel(Request* request) = 0;
  // The request ends by itself; nobody refers to it any more.
  virtual void free(Request* request) = 0;
  // The request, complete or not, belonged to something that is over.
  virtual void drop(Request* request) = 0;
};

}  // namespace emu::rank
