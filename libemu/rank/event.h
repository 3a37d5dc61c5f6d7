// Events of a rank, and the protocols that offer the events.
//
// Each protocol (rendezvous, the requests that a call waits for, a collective under way, ...) keeps its pending
// operations and offers the least of its events. The scheduler (rank/scheduler.h) selects the least of all offers and
// decides when it is certain; then the protocol handles it.
#pragma once

#include <vector>

#include "base/time.h"
#include "match/deadlock_report.h"
#include "match/queue.h"

namespace emu::rank {

class Protocol;
struct Request;

struct Event {
  Protocol* protocol = nullptr;  // the protocol that handles it; null: no event
  match::Arrival key;            // position in the order of all events of the rank
  Instant at;                    // earliest instant at which the rank can handle it

  // Handling it costs nothing. It depends on the messages that precede its key, not on those that precede the
  // instant at which the rank handles it.
  bool free = false;
  // If true, the event waits until no other thread of this rank can act before it.
  bool last = false;
  // Its message counts only if no posted receive takes the message. So all choices that are made until the rank
  // handles the event come first.
  bool unclaimed = false;
  // It is certain only when all that rank `silent` sends before `silent_from` has been taken in; -1: no such rank.
  int silent = -1;
  Instant silent_from;

  // Used only by its protocol.
  match::Message* message = nullptr;
  Request* request = nullptr;
  int failed = -1;     // the failed rank in MPI_COMM_WORLD
  bool doubt = false;  // E5: it is not certain that this rank was the source

  explicit operator bool() const { return protocol != nullptr; }
  bool before(const Event& other) const { return protocol && (!other.protocol || key < other.key); }
};

// Ranks in MPI_COMM_WORLD whose future messages could precede an event.
struct SourceList {
  bool everyone = false;
  int except = -1;  // with everyone: excludes this rank
  std::vector<int> named;
};

class Protocol {
 public:
  virtual ~Protocol() = default;

  // Replaces `least` by the protocol's own least event if that one precedes it.
  virtual void offer(Event& least) = 0;
  // Adds the ranks whose messages could create an event of this protocol that precedes `next`, the least event of all.
  virtual void add_sources(const Event& next, SourceList& sources) const = 0;
  // True if the protocol waits for the message that `receive`, a receive from any source, chooses, and for nothing
  // else; also if it waits for nothing at all.
  virtual bool waits_only_for(const match::Posted& receive) const = 0;
  virtual void handle(const Event& event) = 0;
  // Least cost of an event of this protocol after which the rank may act: send, or end its wait. Events that cost less
  // may precede it, as long as the rank does not act after them.
  virtual Interval reaction() const = 0;
};

// A protocol whose events are operations that ranks request of this one. They take effect at instants that those ranks
// determine, independently of this rank's current call and of its clock.
class Server : public Protocol {
 public:
  // True if operations may be requested.
  virtual bool serving() const = 0;
  // Its operations make the rank act at their own instants.
  Interval reaction() const final { return Interval::longest(); }
};

// Condition that a call waits for or tests: a protocol that exists as long as the call, or a collective under way.
class Goal : public Protocol {
 public:
  // False if the wait certainly is not over, whatever events other threads of the rank have handled.
  virtual bool may_be_over() const { return true; }
  // For the deadlock report.
  virtual void describe(match::Waiting& waiting) const = 0;
};

}  // namespace emu::rank
