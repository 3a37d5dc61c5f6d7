#include "rank/protocols/timed.h"

#include <limits>

namespace emu::rank {

Request* TimedRequests::start_access(model::Bytes bytes) {
  core_.polling.interrupted();
  Timed* const r = pool_.take<Timed>();
  r->access = core_.storage.begin(core_.clock, bytes);
  r->prompt = true;
  return r;
}

Request* TimedRequests::start_sleep(Interval d) {
  core_.polling.interrupted();
  Timed* const r = pool_.take<Timed>();
  r->access = core_.asleep(d);
  r->prompt = true;
  return r;
}

Event TimedRequests::ending(Protocol& protocol, Timed* r) {
  const Instant at = r->access.done;
  return {.protocol = &protocol,
          .key = {at, std::numeric_limits<int>::max(), 0},
          .at = at,
          .free = true,
          .last = r->access.what == record::Awaited::sleep,
          .request = r};
}

void TimedRequests::complete(Timed* r) {
  core_.clock.wait_until(r->access.done, r->access.path);
  if (core_.recorder) core_.recorder->waited(core_.clock.now(), r->access.what);
  r->finish();
  if (r->owner) r->owner->completed();
}

}  // namespace emu::rank
