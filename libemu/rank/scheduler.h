// Scheduler of a rank's events: which is the next one, and whether it is certain.
//
// The scheduler knows nothing of rendezvous, collectives or failures: protocols offer their events (rank/event.h),
// and the least of them is next. Between them come two things that it does by itself: a receive from any source
// chooses its message (match/queue.h), and a message passes the receiving card (match/card.h). Whether the least
// of all is certain is the wire's answer to one question: can a message still arrive before it (match/wire.h)?
// If one can, the rank publishes its bound and sleeps. rank/semantics.md, "Events", has the order.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "clock/clock.h"
#include "match/queue.h"
#include "match/wire.h"
#include "rank/event.h"
#include "rank/horizon.h"
#include "rank/ingress.h"
#include "rank/turns.h"

namespace emu::rank {

// After everything else of that instant.
inline match::Arrival end_of(Instant instant) {
  return {instant, std::numeric_limits<int>::max(), std::numeric_limits<std::uint64_t>::max()};
}

// Whom the scheduler hands what has come in.
class Arrivals {
 public:
  virtual ~Arrivals() = default;
  // The message is in transit: it can be matched, but nothing comes of that before it has arrived.
  virtual void coming(match::Message* message) = 0;
  // The message arrives for certain at its arrival.at.
  virtual void arrived(match::Message* message) = 0;
  // A receive from any source has chosen, or its choice let another pair match.
  virtual void matched(match::Queue::Pair pair) = 0;
};

class Scheduler {
 public:
  // Rank `number`'s. All outlive it. `heads_in_order`: those of one source come to the card in the order in which
  // they were sent, whoever they are for. `call`: the one at hand, for the report of a deadlock.
  Scheduler(int number, bool heads_in_order, match::Wire& wire, clock::Clock& clock, match::Queue& queue,
            Ingress& ingress, Horizon& horizon, Arrivals& arrivals, const char* const& call)
      : number_(number),
        heads_in_order_(heads_in_order),
        wire_(wire),
        clock_(clock),
        queue_(queue),
        ingress_(ingress),
        horizon_(horizon),
        arrivals_(arrivals),
        call_(call) {}

  // A protocol whose events every call handles, whatever it waits for.
  void add(Protocol& protocol) { standing_.push_back(&protocol); }
  void remove(Protocol& protocol) { std::erase(standing_, &protocol); }
  // The same of a server.
  void add(Served& server) {
    standing_.push_back(&server);
    served_ = &server;
  }

  // From here on several threads may call at once. `turns` outlives the scheduler. Then next() may also answer with an event
  // that nobody need handle (nothing()): another thread has had the rank meanwhile.
  void share(Turns& turns) { turns_ = &turns; }
  static bool nothing(const Event& event);
  // Others may call now.
  bool shared() const { return turns_ && turns_->several(); }
  // What they wait for may be over.
  void call_others() {
    if (shared()) turns_->call_all();
  }

  // The least event, of `goal` or of a protocol that was added, up to `limit`, once it is certain; nothing, once
  // it is certain that there is none. Sleeps meanwhile.
  std::optional<Event> next(Goal& goal, Instant limit);
  std::optional<Event> next(Goal& goal) { return next(goal, Instant::never()); }

  // Up to when, `most` at the furthest, it is certain that next(goal) finds nothing, unless this rank sends
  // something. Does not sleep. Nothing: more has come in.
  std::optional<Instant> nothing_until(Goal& goal, Instant most);

  // Control goes back to the program, at a rank that serves others: what they have made it do by its clock is done, as
  // far as it is certain, and others are told how far it is. Does not sleep.
  void serve();

  // Returns once it is certain that all that `sources` make this rank do by its clock, as a server, is done. Handles nothing
  // else.
  void settle(const match::Sources& sources) { settle(sources, clock_.now()); }
  // The same by `until`, of a rank that does nothing of its own before.
  void settle(const match::Sources& sources, Instant until);

  // Returns once no other rank of `size` has anything left to do before this one's clock, nor one of a lower
  // number at that very instant.
  void await_turn(int size);
  // The same of `others`, as a server.
  void await_turn(std::span<const int> others);

  // The program runs on and does not call. Others are promised that this rank does nothing before the instant that they wait
  // for, `most` at the furthest; what that is. Does not sleep.
  Instant promise(Instant most);

 private:
  // The least thing to be decided, and what it is.
  struct Decision {
    enum class What {
      nothing,  // up to the limit
      event,    // is handled
      choice,   // of a receive from any source
      head,     // a message passes the card
    };
    What what = What::nothing;
    match::Arrival key;  // no message may come before it
    Event event;         // the least, whether or not it is decided
    match::Queue::Pair pair;
  };

  std::optional<Event> decide(Goal& goal, Instant limit, Turns::Seat* seat);
  std::uint64_t drain();
  void take_in(match::Message* message);
  Decision least(Goal& goal, Instant limit);
  void before_choices(Decision& decision) const;
  void offer(Goal& goal, Event& least);
  void sources_before(const Goal& goal, const Event& event);
  match::Sources sources_of(const Goal& goal, const Decision& decision, bool for_ever);
  bool only_choice(const Goal& goal, const match::Posted& receive) const;
  int exempt(const match::Message& head) const;
  // Who is in the way of a decision, this rank itself if more has come in; nobody: it is certain.
  std::optional<int> in_the_way(const Event& event, std::uint64_t seen);
  // What other threads of the rank may do before `at`, beside what their goals say: nothing.
  bool others_come_later(Instant at);
  void sleep(const Goal& goal, const Decision& decision, Instant subject, Instant limit,
             std::optional<int> blocker, std::uint64_t seen);
  // What other threads wait for counts too, and what those may do that do not wait. At most so much is promised.
  Instant promise_of_all(const Goal& goal, Interval& reaction);

  const int number_;
  const bool heads_in_order_;
  match::Wire& wire_;
  clock::Clock& clock_;
  match::Queue& queue_;
  Ingress& ingress_;
  Horizon& horizon_;
  Arrivals& arrivals_;
  const char* const& call_;
  // Returns once `other` does nothing before `at`.
  void wait_until_beyond(int other, Instant at, Turns::Seat* seat);
  // The server does nothing sooner, with what is here.
  Instant serves_from() const;
  // Does what the server has to do next, or lets pass what may lead to it, up to the clock. False: that is not certain, or
  // there is nothing.
  bool serve_next(std::uint64_t seen, Instant limit);
  // What the server has to do before all else, up to `now`, or a message on the card that comes before: its key.
  std::optional<match::Arrival> next_to_serve(Instant now) const;

  std::vector<Protocol*> standing_;
  Served* served_ = nullptr;
  Turns* turns_ = nullptr;
  bool together_ = false;  // the goals of all threads that wait are offered
  SourceList sources_;     // scratch
};

}  // namespace emu::rank
