// Scheduler of a rank's events: selects the next event, decides whether it is certain, and until when none can occur.
//
// The scheduler does not depend on rendezvous, collectives or failures: protocols offer their events (rank/event.h),
// and the least of them is next. Two kinds of steps belong to the scheduler itself: a receive from any source chooses
// its message (match/queue.h); a message passes the receiving card or the bus (rank/ingress.h). The least event or step
// is certain if the wire (match/bounds.h) answers that no message can arrive before it. Otherwise the rank publishes
// its bound and sleeps. rank/semantics.md, "Events", defines the order.
//
// One loop does this, run() in rank/event_loop.h: it drains the wire, takes the least step, asks whether it is certain,
// and carries it out or sleeps. A Wait defines which steps count, which bound the rank publishes, and when the loop
// ends.
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
#include "rank/monitor.h"

namespace emu::rank {

// The key after all other keys of the instant.
inline match::Arrival end_of(Instant instant) {
  return {instant, std::numeric_limits<int>::max(), std::numeric_limits<std::uint64_t>::max()};
}

// Receiver of the messages that the scheduler takes in.
class Arrivals {
 public:
  virtual ~Arrivals() = default;
  // The message is in transit: it can be matched, but it has no effect before it has landed. False: it is lost.
  [[nodiscard]] virtual bool coming(match::Message* message) = 0;
  // It is certain that the message in transit lands at its arrival.at.
  virtual void landed(match::Message* message) = 0;
  // It is certain that the message arrives at its arrival.at.
  virtual void arrived(match::Message* message) = 0;
  // A receive from any source has chosen, or its choice let another pair match.
  virtual void matched(match::Queue::Pair pair) = 0;
};

class Scheduler {
 public:
  // All arguments outlive it. `number`: this rank. `call`: the current call, for the deadlock report.
  Scheduler(int number, const model::Network& network, match::Wire& wire, clock::Clock& clock,
            match::Queue& queue, Ingress& ingress, Horizon& horizon, Arrivals& arrivals,
            const char* const& call)
      : number_(number),
        heads_in_order_(network.orderly_heads()),
        lookahead_(network.lookahead()),
        transport_(wire),
        bounds_(wire),
        clock_(clock),
        queue_(queue),
        ingress_(ingress),
        horizon_(horizon),
        arrivals_(arrivals),
        call_(call) {}

  // Adds a protocol whose events every call handles, whatever the call waits for.
  void add(Protocol& protocol) { standing_.push_back(&protocol); }
  void remove(Protocol& protocol) { std::erase(standing_, &protocol); }
  // Adds the server of this rank.
  void add_server(Server& server) {
    add(server);
    server_ = &server;
  }

  // From here on several threads may call concurrently. `monitor` outlives the scheduler. Then next() may
  // also return an event that requires no handling (nothing()): another thread has used the rank meanwhile.
  void share(Monitor& monitor) { monitor_ = &monitor; }
  static bool nothing(const Event& event);
  // Other threads may call now.
  bool shared() const { return monitor_ && monitor_->several(); }
  // Lets the other threads check whether their waits are over.
  void call_others() {
    if (shared()) monitor_->call_all();
  }

  // The least event up to `limit`, of `goal` or of an added protocol, once it is certain; nothing, once it is certain
  // that there is no such event. Sleeps until then.
  std::optional<Event> next(Goal& goal, Instant limit);
  std::optional<Event> next(Goal& goal) { return next(goal, Instant::never()); }

  // The instant, at most `most`, up to which next(goal) certainly finds nothing unless this rank sends something. No
  // value: further messages have come in. It looks once, and neither carries out a step nor sleeps.
  std::optional<Instant> nothing_until(Goal& goal, Instant most);

  // --- the server: these functions carry out its operations, and handle nothing else (rank/scheduler_server.cc)
  // Control returns to the program, at a rank with a server: carries out the operations
  // up to its clock, as far as they are certain, and publishes its bound. Does not sleep.
  void serve();
  // Returns once it is certain that all operations that `sources` request of this server up to its clock have taken
  // effect.
  void settle(const match::Sources& sources) { settle(sources, clock_.now()); }
  // As settle(sources), up to `until`, for a rank that does nothing of its own before.
  void settle(const match::Sources& sources, Instant until);
  // The program computes without calling. Publishes a bound: the instant that other ranks wait for, at most `most`.
  // Returns the bound. Does not sleep.
  Instant promise(Instant most);
  // Returns once no rank of `others` can act before this rank's clock, and none of a lower number at that instant.
  void wait_until_first(std::span<const int> others);
  // As wait_until_first(others) for all ranks of `size`, at a rank that does nothing more: it carries out no
  // operations.
  void wait_until_first(int size);

 private:
  // The least step to be decided.
  struct Decision {
    enum class Kind {
      nothing,  // no event up to the limit
      event,    // an event to be handled
      choice,   // a choice of a receive from any source
      head,     // a message passes the card
    };
    Kind kind = Kind::nothing;
    match::Arrival key;      // no message may come before this key
    match::Sources sources;  // from the ranks whose messages matter
    bool open = false;       // no key is enough: the rank waits for ever, or for another thread
    bool heads = false;      // messages on the card or the bus pass first, up to the key's instant
    Event event;             // the least event, even if another step is decided
    match::Queue::Pair pair;
    Instant subject;                   // the key's instant, even if a head is decided
    Monitor::Waiter* owner = nullptr;  // the thread that has to handle the event, if that is another one
  };
  // The way in which a loop waits when no step can be carried out.
  enum class Rest {
    over,   // the loop ends
    again,  // something has changed
    sleep,  // the bound is published
  };
  struct NextEvent;
  struct LookAhead;
  struct Service;
  struct Serve;
  struct Settle;
  struct Promise;
  struct First;

  template <class Wait>
  void run(Wait& wait);
  std::uint64_t drain();
  void take_in(match::Message* message);
  void let_head_pass_first(Decision& decision) const;
  // The rank that blocks the decision, or this rank itself if more messages have come in; nothing: the decision is
  // certain.
  std::optional<int> blocking_rank(const Decision& decision, std::uint64_t seen);
  // A step of the scheduler itself: a choice, or a head that passes.
  void carry_out(const Decision& decision);
  // Other threads act no earlier than the step allows.
  void steps(const Decision& decision) const;

  // The instant, at most `most`, up to which all messages that `goal` or a protocol waits for have been taken in. No
  // value: further messages have come in.
  std::optional<Instant> certain_until(const Goal& goal, Instant most, std::uint64_t seen);
  // The last instant, at most `until`, before the steps that follow from the messages taken in.
  Instant before_known_steps(Goal& goal, Instant until);

  Decision least(Goal& goal, Instant limit);
  void before_choices(Decision& decision) const;
  // The least choice replaces the decision if it precedes the decision's key.
  void let_choice_come_first(Decision& decision) const;
  void offer(Goal& goal, Event& least);
  void sources_before(const Goal& goal, const Event& event);
  match::Sources sources_of(const Goal& goal, const Decision& decision, bool for_ever);
  bool only_choice(const Goal& goal, const match::Posted& receive) const;
  int exempt(const match::Message& head) const;
  // True if no other thread of the rank can act before `at`, apart from events of their goals.
  bool others_come_later(Instant at);
  // Publishes the bound of a rank that waits for `goal`. False: more messages have come in.
  bool publish(const Goal& goal, const Decision& decision, Instant limit, std::uint64_t seen);
  // The most that this rank may promise, in view of the goals of other threads and of threads that do not wait.
  Instant promise_of_all(const Goal& goal, Interval& reaction);

  // The least operation of the server; no event: none is known.
  Event next_operation() const;
  // A goal that is never reached, for a thread that waits for the server.
  static Goal& nothing_to_wait_for();
  // Lower bound of the server's next operation, given the messages taken in.
  Instant serves_from() const;
  // The least step of the server up to `limit`. If there is none, messages of `sources` may request an operation.
  Decision least_operation(Instant limit, const match::Sources& sources) const;

  const int number_;
  // Messages of one source come to the card or the bus in the order of their sends, whatever their destination.
  const bool heads_in_order_;
  const Interval lookahead_;
  match::Transport& transport_;
  match::Bounds& bounds_;
  clock::Clock& clock_;
  match::Queue& queue_;
  Ingress& ingress_;
  Horizon& horizon_;
  Arrivals& arrivals_;
  const char* const& call_;
  std::vector<Protocol*> standing_;
  Server* server_ = nullptr;
  Monitor* monitor_ = nullptr;
  bool together_ = false;  // the goals of all waiting threads are offered
  SourceList sources_;     // scratch
};

}  // namespace emu::rank
