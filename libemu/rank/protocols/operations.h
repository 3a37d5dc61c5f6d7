// Operations of a rank, as calls that wait, collectives and agreements use them.
//
// RankOperations passes each request to the part that carries out its kind: messages, accesses and sleeps, one-sided
// operations. A composite request ends with its parts.
#pragma once

#include "rank/event.h"
#include "rank/protocols/requests.h"

namespace emu::rank {

class PointToPoint;
class TimedRequests;
class Windows;
struct Core;

class Operations {
 public:
  virtual ~Operations() = default;

  // Peers are ranks in `comm`, or proc_null; receives also take any_source and any_tag. `context`: the context of the
  // program's messages, or of collectives.
  virtual Request* start_send(match::Context context, const Communicator& comm, int to, int tag,
                              const Buffer& data, Mode mode) = 0;
  virtual Request* start_receive(match::Context context, const Communicator& comm, int from, int tag,
                                 const Buffer& into) = 0;
  // An access to a file: rank/protocols/timed.h.
  virtual Request* start_access(model::Bytes bytes) = 0;

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

class RankOperations final : public Operations {
 public:
  // All arguments outlive the object.
  RankOperations(Core& core, RequestPool& pool, PointToPoint& point_to_point, TimedRequests& timed,
                 Windows& windows)
      : core_(core), pool_(pool), point_to_point_(point_to_point), timed_(timed), windows_(windows) {}

  Request* start_send(match::Context context, const Communicator& comm, int to, int tag, const Buffer& data,
                      Mode mode) override;
  Request* start_receive(match::Context context, const Communicator& comm, int from, int tag,
                         const Buffer& into) override;
  Request* start_access(model::Bytes bytes) override;
  Event ending(Protocol& protocol, Request* request, Instant entered) const override;
  void end(const Event& event) override;
  void cancel(Request* request) override;
  void free(Request* request) override;
  void drop(Request* request) override;

 private:
  Core& core_;
  RequestPool& pool_;
  PointToPoint& point_to_point_;
  TimedRequests& timed_;
  Windows& windows_;
};

}  // namespace emu::rank
