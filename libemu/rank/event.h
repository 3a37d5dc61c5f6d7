// Events of a rank, and the protocols that offer them.
//
// Each protocol (rendezvous, the requests that a call waits for, a collective under way, ...) keeps what it has
// under way and offers the least of its events. The scheduler (rank/scheduler.h) picks the least of all and says
// when it is certain; then the protocol handles it.
#pragma once

#include <vector>

#include "base/time.h"
#include "match/queue.h"
#include "match/wire.h"

namespace emu::rank {

class Protocol;
struct Request;

struct Event {
  Protocol* protocol = nullptr;  // whose it is; null: there is none
  match::Arrival key;            // its place in the order of all that happens at the rank
  Instant at;                    // from when on the rank can act upon it

  // Handling it costs nothing, and what counts is what was there by its key, not by the instant at which the
  // rank comes to act.
  bool free = false;
  // What other threads of the rank may do before that comes first.
  bool last = false;
  // Its message counts only if no posted receive takes it, so that all choices that are made until the rank
  // acts come first.
  bool unclaimed = false;
  // It is certain only when all that this rank ever sends before `silent_from` is here; -1: no such rank.
  int silent = -1;
  Instant silent_from;

  // For its protocol alone.
  match::Message* message = nullptr;
  Request* request = nullptr;
  int failed = -1;     // the rank in MPI_COMM_WORLD whose failure it is
  bool doubt = false;  // that rank may have been the source, or another one

  explicit operator bool() const { return protocol != nullptr; }
  bool before(const Event& other) const { return protocol && (!other.protocol || key < other.key); }
};

// Ranks in MPI_COMM_WORLD whose future messages could still come before something.
struct SourceList {
  bool everyone = false;
  int except = -1;  // with everyone: never this one
  std::vector<int> named;
};

class Protocol {
 public:
  virtual ~Protocol() = default;

  // Replaces `least` by its own least event if that comes before it.
  virtual void offer(Event& least) = 0;
  // Adds the ranks whose messages could give it an event that comes before `next`, the least event of all.
  virtual void add_sources(const Event& next, SourceList& sources) const = 0;
  // Whether it waits for the message that `receive`, a receive from any source, chooses, and for nothing else.
  // One that waits for nothing at all says yes.
  virtual bool waits_only_for(const match::Posted& receive) const = 0;
  virtual void handle(const Event& event) = 0;
};

// A server at this rank: what others make it do happens at the instants that they determine, whatever the rank itself
// is about, and however far its clock is.
class Served : public Protocol {
 public:
  // Others may make it do something.
  virtual bool serving() const = 0;
  // It does nothing sooner; never: nothing at all.
  virtual Instant pending() const = 0;
  // Replaces `least` by the least of what others make it do, if that comes before it.
  virtual void offer_operation(Event& least) = 0;
};

// What a call waits for or tests: a protocol that lasts as long as the call, or a collective under way.
class Goal : public Protocol {
 public:
  explicit Goal(Interval reaction) : reaction_(reaction) {}

  // The least cost of any event that ends the waiting or is handled meanwhile.
  Interval reaction() const { return reaction_; }
  // For the report of a deadlock.
  virtual void describe(match::Waiting& waiting) const = 0;

 private:
  Interval reaction_;
};

}  // namespace emu::rank
