// Sequential simulation of a schedule whose messages do not share resources, on nodes that do not fail.
//
// A schedule makes no choices: every receive names its source. Therefore a rank needs neither a stack of its own nor a
// bound. It is a state machine, which runs until it depends on a message that has not been sent. Its times are those of
// libemu/rank (rank/semantics.md): equal clocks, an equal network, and events in the order of their keys. One rule is
// added, because a rank with several messages under way must not handle one of them while an earlier one may still
// come:
// - A rank handles its events if each pending operation has one, since no other event can come then.
// - Otherwise it must be the rank whose first event is the least of all ranks. Any later send is at that instant or
//   later, and its message arrives by the lookahead later. So the rank may continue up to the least event of the other
//   ranks plus the lookahead, and up to twice the lookahead from its own first event.
//
// Other targets (with nodes that fail, or with cards or links that messages share) need ranks on fibers: play.h.
#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "../goal/order.h"
#include "clock/clock.h"
#include "clock/gap.h"
#include "match/envelope.h"
#include "model/network.h"
#include "model/speed.h"
#include "record/summary.h"
#include "schedule/mailbox.h"
#include "schedule/schedule.h"
#include "target/target.h"

namespace emu::app::schedules {

class Machine {
 public:
  static bool can_play(const target::Target& target, int ranks);

  // Both outlive the object.
  Machine(const Schedule& schedule, const target::Target& target);
  Machine(const Machine&) = delete;
  ~Machine();

  // Returns nothing if a rank cannot finish: then ranks on fibers report the reason. Throws goal::Stream::Exceeded.
  std::optional<record::RunSummary> run();

 private:
  struct Message {
    enum class Kind : std::uint8_t { eager, request, answer, data };
    Message* next = nullptr;
    match::Arrival key;  // when the receiver may act upon it
    Kind kind = Kind::eager;
    int sending = 0;    // operations at the two ends of the handshake
    int receiving = 0;  // also for an eager message that has been matched
    model::Bytes bytes = 0;
    record::Path path;
  };
  struct Later {
    bool operator()(const Message* a, const Message* b) const { return b->key < a->key; }
  };
  struct Rank {
    explicit Rank(const goal::Part& part) : order(part) {}

    clock::Clock clock;
    goal::Order order;
    const model::Speed* speed = nullptr;
    std::uint64_t pieces = 0;    // number of pieces of work begun
    std::uint64_t sequence = 0;  // number of messages sent
    clock::Gap gap;
    std::int64_t sends = 0, bytes = 0;
    Mailbox<Message> mailbox;
    std::vector<Message*> events;  // heap of the known next events of pending operations, the least on top
    int under_way = 0;             // number of pending operations
    // Sends that completed at once, in order; `noticed` of them have been reported to `order`.
    std::vector<int> sent;
    std::size_t noticed = 0;
    bool queued = false;  // it is in turns_
    Instant asked;        // the least instant for which it is in waiting_; never: it is not
    bool failed = false;
  };
  struct Failed {};  // virtual time has ended, or work is never completed

  Rank& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  Message* make(Message::Kind kind);
  void release(Message* message) {
    message->next = spare_;
    spare_ = message;
    --count_;
  }
  void grow();

  void take_turn(int rank);
  void let_first_go_on();
  bool go_on(int rank, Instant limit);
  void start(Rank& rank, int number, int operation);
  void compute(Rank& rank, int number, std::int64_t picoseconds);
  void send(Rank& rank, int number, int operation);
  void leave(Rank& rank, int from, int to, Message* message, model::Bytes occupying);
  void deliver(int to, Message* message);
  void expect(int number, Message* message);
  int handle(Rank& rank, int number);
  record::RunSummary summary() const;

  const Schedule& schedule_;
  const target::Target& target_;
  const model::Network network_;
  const Interval lookahead_;
  std::vector<model::Speed> speeds_;
  std::vector<Rank> ranks_;
  std::vector<int> turns_;  // ranks that can continue, the last one first
  using Waiting = std::pair<Instant, int>;
  // Ranks that have an event, although an earlier one may come. Entries may be obsolete.
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting_;
  Message* spare_ = nullptr;
  std::vector<Message*> blocks_;
  std::int64_t count_ = 0;  // messages on their way
};

}  // namespace emu::app::schedules
