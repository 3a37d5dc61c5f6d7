// Failures of other ranks' nodes, as a rank notices them: rank/semantics.md, "Failures that are noticed".
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/time.h"
#include "model/network.h"
#include "rank/communicator.h"
#include "rank/event.h"
#include "record/path.h"

namespace emu::rank {

class Failures {
 public:
  // `at`: the instant at which each rank's node fails; empty: no node fails. If `noticed` is false, a failed rank is
  // only silent, and no call reports it. `network` outlives the object.
  Failures(std::vector<Instant> at, bool noticed, const model::Network& network, int self)
      : at_(std::move(at)), noticed_(noticed && !at_.empty()), network_(network), self_(self) {}

  // True if calls report failures.
  bool noticed() const { return noticed_; }
  // F: the instant at which `rank` fails, or never.
  Instant at(int rank) const { return at_.empty() ? Instant::never() : at_[static_cast<std::size_t>(rank)]; }
  // N: the instant from which this rank knows of the failure; never for this rank itself.
  Instant known(int rank) const { return noticed_ ? silent(rank) : Instant::never(); }
  // N, whether or not failures are noticed.
  Instant silent(int rank) const {
    if (rank == self_ || at(rank).is_never()) return Instant::never();
    return at(rank) + notice(rank);
  }
  // The path to N.
  record::Path path(int rank) const;

  // The rank with the least N among those whose failures break collective operations, and of several the one of the
  // least number; -1: no failure will be known.
  int first(const Communicator& comm) const;
  // The member, not acknowledged, whose failure puts a receive from any source in doubt.
  int first_unacknowledged(const Communicator& comm) const;
  // The first failure of a member, known or not.
  Instant first_at(const Communicator& comm) const;

  // E4 to E6 for `rank`, for a call, or a wait in a call, that began at `entered`. No event if the failure never
  // becomes known. The event comes after all others of its instant.
  Event event(Protocol& protocol, int rank, Instant entered) const;
  // As event(), but certain only once all messages that `rank` sent before its failure have been taken in.
  Event event_after_all_messages(Protocol& protocol, int rank, Instant entered) const;
  // As event_after_all_messages(), also if failures are not noticed. For awaited answers that must not block the
  // program.
  Event event_of_silence(Protocol& protocol, int rank, Instant entered) const;

 private:
  // N - F. Not 0: two ranks that wait for different failures of one instant must not block each other, which could
  // happen if an agent represents them (wire/agent/agent.h).
  Interval notice(int rank) const {
    return std::max(network_.slowest(rank, self_).latency, Interval::picoseconds(1));
  }

  // The failure of `member` comes before that of `other` (-1: none).
  bool precedes(int member, int other) const;

  std::vector<Instant> at_;
  bool noticed_;
  const model::Network& network_;
  int self_;
};

struct Core;

// Moves the clock to N. This is the part of the handling that E4, E5 and E6 share.
void notice_failure(Core& core, const Event& event);

}  // namespace emu::rank
