#include "rank/protocols/operations.h"

#include "rank/protocols/point_to_point.h"
#include "rank/protocols/timed.h"
#include "rank/protocols/windows.h"

namespace emu::rank {

using Kind = Request::Kind;

Request* RankOperations::start_send(match::Context context, const Communicator& comm, int to, int tag,
                                    const Buffer& data, Mode mode) {
  return point_to_point_.start_send(context, comm, to, tag, data, mode);
}

Request* RankOperations::start_receive(match::Context context, const Communicator& comm, int from, int tag,
                                       const Buffer& into) {
  return point_to_point_.start_receive(context, comm, from, tag, into);
}

Request* RankOperations::start_access(model::Bytes bytes) { return timed_.start_access(bytes); }

[[gnu::hot]] Event RankOperations::ending(Protocol& protocol, Request* request, Instant entered) const {
  if (auto* const receive = as<Receive>(request)) [[likely]]
    return point_to_point_.ending(protocol, receive, entered);
  switch (request->kind) {
    case Kind::send:
      return point_to_point_.ending(protocol, static_cast<Send*>(request), entered);
    case Kind::timed:
      return TimedRequests::ending(protocol, static_cast<Timed*>(request));
    case Kind::one_sided:
      return windows_.ending(protocol, static_cast<OneSided*>(request), entered);
    case Kind::composite:
      return point_to_point_.ending(protocol, static_cast<Composite*>(request), entered);
    case Kind::receive:
      break;
  }
  return {};
}

[[gnu::hot]] void RankOperations::end(const Event& event) {
  if (event.message) return point_to_point_.complete(static_cast<Receive*>(event.request));
  if (auto* const timed = as<Timed>(event.request)) return timed_.complete(timed);
  notice_failure(core_, event);
  if (auto* const operation = as<OneSided>(event.request)) return windows_.fail(operation, event.failed);
  point_to_point_.end_by_failure(event);
}

void RankOperations::cancel(Request* request) {
  if (auto* const receive = as<Receive>(request)) point_to_point_.cancel(receive);
}

[[gnu::hot]] void RankOperations::free(Request* request) {
  if (!request) return;
  core_.polling.interrupted();
  if (request->complete() || request->kind == Kind::timed) return pool_.put_back(request);
  request->freed = true;  // a send continues; a receive completes when its message arrives
  if (auto* const receive = as<Receive>(request)) point_to_point_.freed(receive);
}

[[gnu::hot]] void RankOperations::drop(Request* request) {
  if (request->complete()) return free(request);
  if (auto* const receive = as<Receive>(request)) return point_to_point_.drop(receive);
  if (auto* const send = as<Send>(request)) return point_to_point_.drop(send);
  pool_.put_back(request);
}

}  // namespace emu::rank
