// Failures of other ranks' nodes as a rank notices them: rank/semantics.md, "Failures that are noticed".
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
  // `at`: when each rank's node fails; empty: none ever does. Unless `noticed`, it shows in nothing but that
  // they are silent. `network` outlives this.
  Failures(std::vector<Instant> at, bool noticed, const model::Network& network, int self)
      : at_(std::move(at)), noticed_(noticed && !at_.empty()), network_(network), self_(self) {}

  // Whether any failure is ever noticed.
  bool noticed() const { return noticed_; }
  // F: when `rank` fails; never.
  Instant at(int rank) const { return at_.empty() ? Instant::never() : at_[static_cast<std::size_t>(rank)]; }
  // N: from when on this rank knows of it; never, also of itself.
  Instant known(int rank) const { return noticed_ ? silent(rank) : Instant::never(); }
  // N, whether or not it is noticed then.
  Instant silent(int rank) const {
    if (rank == self_ || at(rank).is_never()) return Instant::never();
    return at(rank) + notice(rank);
  }
  // What led to that.
  record::Path path(int rank) const;

  // The member whose failure is known first; -1: none ever is.
  int first(const Communicator& comm) const;
  // Of those that are not acknowledged: whose failure puts a receive from any source in doubt.
  int first_unacknowledged(const Communicator& comm) const;
  // When the first member fails, known or not.
  Instant first_at(const Communicator& comm) const;

  // E4 to E6: `rank` is known to have failed, by a call, or a wait in it, that began at `entered`. No event if
  // that never is. Its place is after everything else of its instant.
  Event event(Protocol& protocol, int rank, Instant entered) const;
  // As event(), but it is certain only once all that the rank sent before it failed is here.
  Event event_after_all_messages(Protocol& protocol, int rank, Instant entered) const;
  // The same, whether or not failures are noticed: of one from whom an answer is awaited that must not keep the program.
  Event event_of_silence(Protocol& protocol, int rank, Instant entered) const;

 private:
  // From F to N. Not 0: whoever waits for a failure must not be in the way of one who waits for another of
  // the same instant, and is taken for it if an agent speaks for them (wire/agent/agent.h).
  Interval notice(int rank) const {
    return std::max(network_.slowest(rank, self_).latency, Interval::picoseconds(1));
  }

  std::vector<Instant> at_;
  bool noticed_;
  const model::Network& network_;
  int self_;
};

struct Core;

// The clock goes on to where the failure is known: the part of handling such an event that is always the same.
void notice_failure(Core& core, const Event& event);

}  // namespace emu::rank
