// All messages sent to one rank, and its posted receives: the arrival of each message, and the receive that it
// matches. All searches are simple loops over all messages.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "base/time.h"
#include "match/envelope.h"
#include "model/network.h"

namespace emu::reference {

// A key after all messages of that instant.
inline match::Arrival end_of(Instant instant) {
  return {instant, std::numeric_limits<int>::max(), std::numeric_limits<std::uint64_t>::max()};
}

struct Message {
  enum class Kind {
    eager,
    request,
    answer,
    data,
    operation,  // cancels a message
    result,     // tells if the message was cancelled
  };
  Kind kind = Kind::eager;
  match::Envelope envelope;  // of the program's message it belongs to; `source` is the sender of this message
  model::Bytes on_wire = 1;
  int number = 0;              // the program's number of the message
  int send = -1;               // rendezvous: the send's request at its rank
  int receive = -1;            // the receive it is matched with, or belongs to
  std::uint64_t sequence = 0;  // send order of its source
  bool bus = false;            // it passes the bus that all ranks share, one message after another
  bool card = false;           // it passes the receiver's card, one message after another
  std::int64_t flow = -1;      // the number of its flow, if it shares resources
  Interval occupancy;          // the time for which it occupies the card or the bus
  Instant left;
  bool whole = false;  // its sender pays for it from `left` on, and until its last byte has left
  Instant head;        // its first byte reaches the receiver
  Instant arrival;
  Interval further;          // answer: time from its arrival until its rank can act upon it
  Instant held;              // a choice made at this instant released it: see Mailbox::settle
  bool synchronous = false;  // eager, data: its sender waits for an answer; answer: to such a message
  int holder = -1;           // data: the rank in whose memory the receiver reads them; -1: they are sent
  bool handled = false;
  std::uint64_t whom = 0;   // operation: the sequence number of the message to cancel
  bool taken_back = false;  // operation, result: the message was cancelled
  // Its arrival is not certain yet: it passes a card or the bus, and the node may be down after that.
  bool undecided = false;
  bool lost = false;  // it came when the node was down

  bool matchable() const { return kind == Kind::eager || kind == Kind::request; }
  bool unmatched() const { return matchable() && receive < 0 && !undecided && !lost; }
  // The instant from which its rank can act upon it.
  Instant ready() const { return std::max(arrival + further, held); }
  // Keys for the choice of a receive, and for the rank's choice among several messages to act upon.
  match::Arrival key() const { return {arrival, envelope.source, sequence}; }
  match::Arrival turn() const { return {ready(), envelope.source, sequence}; }
};

// Sorts messages by the instants at which their heads come to a card or to the bus.
void sort_by_heads(std::vector<Message*>& messages);

struct Receive {
  match::Filter filter;
  int request = -1;  // the receive's request at its rank; -1: a matched probe has received the message
  int message = -1;  // the matched message
  bool withdrawn = false;
  bool taken = false;  // by a matched probe, for good
};

// Before all instants: all matches that need not wait have been made.
inline constexpr Instant before_all = Instant::from_picoseconds(-1);

class Mailbox {
 public:
  // `message` has left, and its first byte reaches this rank at `head`. Computes its arrival.
  void deliver(Message message);
  // The last instant at which a message from `source` reaches this rank's card or the bus.
  Instant last_head(int source) const;
  // Posts a receive, and returns its index.
  int post(const match::Filter& filter, int request);
  // A matched probe receives `message`. Returns the index of its receive, which has no request yet.
  int take(int message);
  // Gives such a receive its request.
  void receive_taken(int receive, int request);
  // True if the message of a matched probe has not been handled.
  bool holds_taken() const;
  // Removes a receive as if it had never been posted. Its message, and all that its source sent after
  // that, are matched again. Returns the number of other receives that these had been matched with.
  int take_back(int receive);
  // The receive gets no message any more, and its matched message is complete.
  void withdraw(int receive);

  // Makes all matches: of receives that name their source with all existing messages,
  // and of the others with messages that arrived up to `until`, all of which must exist.
  //
  // A message may be held although it arrived, because an earlier message of its source, or
  // an earlier receive, is still undecided. When another message's match at x releases it,
  // its rank cannot act upon it before x, whenever it arrived: `held`. Its key is unchanged.
  void settle(Instant until);
  // Lets operations take effect that come before `limit`, each after the choices that precede it. settle() does so with
  // operations that precede its choices.
  void serve(const match::Arrival& limit);
  // The instant at which the next operation takes effect.
  Instant next_operation() const;
  // Indices of the operations that took effect since the previous call.
  std::vector<int> take_served();

  // The instant at which settle would next match a message to a receive from any source.
  Instant next_choice() const;

  // Index of the message that a probe finds among those that are ready by `until`; -1: none.
  int candidate(const match::Filter& filter, Instant until) const;
  // The instant at which there will be a candidate, as far as is known.
  Instant next_candidate(const match::Filter& filter) const;

  // The instant at which the arrival of another message becomes certain: once its head is there, no later message can
  // precede it on the card or the bus.
  Instant next_decision() const;

  // Removes all messages and receives; false if some were incomplete.
  bool clear();

  std::vector<Message>& messages() { return messages_; }
  const std::vector<Message>& messages() const { return messages_; }
  const std::vector<Receive>& receives() const { return receives_; }

  std::int64_t choices = 0;    // messages matched with receives from any source
  std::int64_t contested = 0;  // those for which a message of another source was ready, too
  std::int64_t ties = 0;       // those for which another message was ready at that instant
  std::int64_t held = 0;       // messages that `held` delayed

 private:
  void schedule_arrivals();
  // The first unmatched receive that accepts `message`, or -1.
  int first_receive(const Message& message) const;
  // True if `receive` accepts no unmatched message that the same source sent earlier.
  bool in_order(const Message& message, const Receive& receive) const;
  // For each source, the first message in send order that the probe accepts.
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
  Instant in_;  // the card is free from then on, before the current messages
};

}  // namespace emu::reference
