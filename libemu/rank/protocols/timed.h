// Requests whose end is known when they start: accesses to files (E8) and sleeps (E9). rank/semantics.md, "Events".
#pragma once

#include "rank/core.h"
#include "rank/protocols/requests.h"

namespace emu::rank {

class TimedRequests {
 public:
  // Both outlive the object.
  TimedRequests(Core& core, RequestPool& pool) : core_(core), pool_(pool) {}

  // The storage transfers `bytes`, after all earlier accesses of this rank.
  Request* start_access(model::Bytes bytes);
  // The request is complete after `d`.
  Request* start_sleep(Interval d);

  // The event that ends the request, after all messages of its instant.
  static Event ending(Protocol& protocol, Timed* request);
  void complete(Timed* request);

 private:
  Core& core_;
  RequestPool& pool_;
};

}  // namespace emu::rank
