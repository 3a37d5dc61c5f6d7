// Everything that was sent to one rank, and the receives that rank posted: when each message arrives, and
// which receive it matches. All searches are plain loops over all messages.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "base/time.h"
#include "match/envelope.h"
#include "model/network.h"

namespace emu::reference {

// After all that comes at that instant.
inline match::Arrival end_of(Instant instant) {
  return {instant, std::numeric_limits<int>::max(), std::numeric_limits<std::uint64_t>::max()};
}

struct Message {
  enum class Kind {
    eager,
    request,
    answer,
    data,
    operation,  // takes a message back
    result,     // whether it did
  };
  Kind kind = Kind::eager;
  match::Envelope envelope;  // of the program's message it belongs to; `source` is who sent this one
  model::Bytes on_wire = 1;
  int number = 0;              // the program's number of the message
  int send = -1;               // rendezvous: the send's request at its rank
  int receive = -1;            // the receive it is matched with, or belongs to
  std::uint64_t sequence = 0;  // send order of its source
  bool bus = false;            // it passes the bus that all share, one after another
  bool card = false;           // it passes the receiver's card, one after another
  std::int64_t flow = -1;      // it shares resources: which of the flows
  Interval occupancy;          // how long that takes
  Instant left;
  Instant head;  // its first byte reaches the receiver
  Instant arrival;
  Interval further;          // answer: from its arrival until its rank can act upon it
  Instant held;              // a choice made at this instant let it go: see Mailbox::settle
  bool synchronous = false;  // eager: its sender waits for an answer; answer: to such a message
  bool handled = false;
  std::uint64_t whom = 0;   // operation: the sequence of the message that it takes back
  bool taken_back = false;  // operation, result: it was
  // Whether it comes is not certain yet: it passes a card or the bus, and the node may be down once it has.
  bool undecided = false;
  bool lost = false;  // it came to a node that was down

  bool matchable() const { return kind == Kind::eager || kind == Kind::request; }
  bool unmatched() const { return matchable() && receive < 0 && !undecided && !lost; }
  // From when on its rank can act upon it.
  Instant ready() const { return std::max(arrival + further, held); }
  // What a receive goes by that can choose, and what its rank goes by when it can act upon several.
  match::Arrival key() const { return {arrival, envelope.source, sequence}; }
  match::Arrival turn() const { return {ready(), envelope.source, sequence}; }
};

struct Receive {
  match::Filter filter;
  int request = -1;  // the receive's request at its rank; -1: a matched probe has taken its message for it
  int message = -1;  // what it is matched with
  bool withdrawn = false;
  bool taken = false;  // by a matched probe, for good
};

// Before everything: what needs no waiting is settled by then.
inline constexpr Instant before_all = Instant::from_picoseconds(-1);

class Mailbox {
 public:
  // `message` left, and its first byte reaches this rank at `head`. Sets its arrival.
  void deliver(Message message);
  // The last instant at which something from `source` reaches this rank's card or the bus.
  Instant last_head(int source) const;
  // Appends to the posted list; returns the receive's index.
  int post(const match::Filter& filter, int request);
  // A matched probe takes `message`. Returns the index of the receive that it is for, which has no request as yet.
  int take(int message);
  // It has one.
  void receive_taken(int receive, int request);
  // The receive is as if it had never been posted; what is on its way to it, and all that its source sent after that, is matched
  // anew. Returns how many other receives these had been matched with.
  int take_back(int receive);
  // The receive takes nothing any more; what it is matched with is done with.
  void withdraw(int receive);

  // Matches what can be matched: to receives that name their source whatever exists, to the others whatever
  // arrived up to `until`, of which all must exist.
  //
  // A message may have to stand back although it arrived, since an earlier one of its source, or an earlier
  // receive, is still undecided. When it is let go by another message's match at x, its rank can not act
  // upon it before x, whenever it arrived: `held`. Its place in the order of keys stays.
  void settle(Instant until);
  // Operations take effect: those that come before `limit`, each after the choices that come before it. settle() does it
  // with those that come before one of its choices.
  void serve(const match::Arrival& limit);
  // When the next one does.
  Instant next_operation() const;
  // Those that have taken effect since this was asked, as indices.
  std::vector<int> take_served();

  // When settle would next match a message to a receive from any source.
  Instant next_choice() const;

  // Index of the message that a probe finds among those ready up to `until`; -1: none.
  int candidate(const match::Filter& filter, Instant until) const;
  // When there will be one, as far as is known.
  Instant next_candidate(const match::Filter& filter) const;

  // When it will be certain of another message whether it comes: once its head is there, no later one can
  // come before it on the card or the bus.
  Instant next_decision() const;

  // Forgets all messages and receives; false if some were not done with.
  bool clear();

  std::vector<Message>& messages() { return messages_; }
  const std::vector<Message>& messages() const { return messages_; }
  const std::vector<Receive>& receives() const { return receives_; }

  std::int64_t choices = 0;    // messages matched with receives from any source
  std::int64_t contested = 0;  // those for which another source's message was ready too
  std::int64_t ties = 0;       // those for which one was ready at the same instant
  std::int64_t held = 0;       // messages with an effect of `held`

 private:
  void schedule_arrivals();
  // The first unmatched receive that accepts `message`, or -1.
  int first_receive(const Message& message) const;
  // No unmatched message sent earlier by the same source is accepted by `receive`.
  bool in_order(const Message& message, const Receive& receive) const;
  // Per source the first that the probe accepts, in send order.
  std::vector<int> candidates(const match::Filter& filter) const;
  bool settle_one(const match::Arrival& limit);
  // The first operation before `limit`; -1: none.
  int least_operation(const match::Arrival& limit) const;
  void take_effect(int operation);
  void choose(int message, int receive);
  void count_choice(const Message& chosen, int receive);

  std::vector<Message> messages_;
  std::vector<Receive> receives_;
  std::vector<int> served_;
  Instant in_;  // the card: free from then on, before the messages at hand
};

}  // namespace emu::reference
