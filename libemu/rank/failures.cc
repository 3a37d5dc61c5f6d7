#include "rank/failures.h"

#include <cstdint>
#include <limits>
#include <utility>

#include "rank/core.h"

namespace emu::rank {

record::Path Failures::path(int rank) const {
  record::Path p;
  p.until_failure = at(rank) - Instant::start();
  p.travel(notice(rank), network_.slowest(rank, self_).latencies);
  return p;
}

bool Failures::precedes(int member, int other) const {
  return other < 0 || std::pair(known(member), member) < std::pair(known(other), other);
}

int Failures::first(const Communicator& comm) const {
  int first = -1;
  if (!noticed_) return first;
  for (int member : comm.concerned ? *comm.concerned : comm.world)
    if (!known(member).is_never() && precedes(member, first)) first = member;
  return first;
}

int Failures::first_unacknowledged(const Communicator& comm) const {
  int first = -1;
  for (int member : comm.world) {
    const Instant when = known(member);
    if (when.is_never() || (comm.acknowledged && when <= *comm.acknowledged)) continue;
    if (precedes(member, first)) first = member;
  }
  return first;
}

Instant Failures::first_at(const Communicator& comm) const {
  Instant first = Instant::never();
  for (int member : comm.world) first = std::min(first, at(member));
  return first;
}

namespace {

Event known_from(Instant when, Protocol& protocol, int rank, Instant entered) {
  if (when.is_never()) return {};
  const Instant at = std::max(when, entered);
  return {.protocol = &protocol,
          .key = {at, std::numeric_limits<int>::max(), static_cast<std::uint64_t>(rank)},
          .at = at,
          .free = true,
          .failed = rank};
}

}  // namespace

Event Failures::event(Protocol& protocol, int rank, Instant entered) const {
  return known_from(known(rank), protocol, rank, entered);
}

Event Failures::event_after_all_messages(Protocol& protocol, int rank, Instant entered) const {
  return noticed_ ? event_of_silence(protocol, rank, entered) : Event{};
}

Event Failures::event_of_silence(Protocol& protocol, int rank, Instant entered) const {
  Event e = known_from(silent(rank), protocol, rank, entered);
  if (!e) return e;
  e.silent = rank;
  e.silent_from = at(rank) + Interval::picoseconds(1);
  return e;
}

void notice_failure(Core& core, const Event& event) {
  // The clock moves to N, if it is not beyond: a call that begins later finds the failure at once.
  core.clock.wait_until(core.failures.silent(event.failed), core.failures.path(event.failed));
  if (core.recorder)
    core.recorder->waited(core.clock.now(), event.failed, core.failures.at(event.failed),
                          core.clock.take_late());
}

}  // namespace emu::rank
