// Matching of messages with receives: the posted-receive queue, in program order; the
// unexpected queue, of messages that no receive has matched, in send order for each
// source; and the rules of rank/semantics.md, "Matching". Independent of clocks and costs.
//
// Short queues are walked. Longer ones have indexes (match/index.h), so that the cost of
// a receive, a message or a choice does not grow with the number of unrelated entries.
#pragma once

#include <algorithm>
#include <memory>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "base/paged.h"
#include "match/index.h"
#include "match/message.h"
#include "match/peers.h"

namespace emu::match {

// A receive as the queue sees it; requests derive from it.
struct Posted {
  Filter filter;
  Message* matched = nullptr;  // the eager message or request that it matched
  Instant posted;              // the instant

  bool wildcard() const { return filter.source == any_source; }
  std::uint64_t order() const { return order_; }

 private:
  friend class Queue;
  friend class ReceiveIndex<Posted>;
  Posted* previous_ = nullptr;
  Posted* next_ = nullptr;
  std::uint64_t order_ = 0;  // number among all posted receives
  struct {
    Posted* previous = nullptr;
    Posted* next = nullptr;
    bool indexed = false;
  } alike;  // neighbours among receives with an equal filter, if indexed
};

class Queue {
 public:
  // `walked`: the length up to which a queue is walked.
  explicit Queue(int ranks, std::size_t walked = 16)
      : by_source_(static_cast<std::size_t>(ranks)), named_peers_(ranks), walked_(walked) {}

  struct Pair {
    Message* message = nullptr;
    Posted* receive = nullptr;
    explicit operator bool() const { return message != nullptr; }
  };

  // A receive joins the posted-receive queue; an eager message or request joins the unexpected queue, for each
  // source in send order. Returns the pair that matches because of it (a receive that names its
  // source is matched as soon as possible).
  Pair post(Posted* receive);
  Pair add(Message* message);
  // Removes an unexpected message that a probe has found, for a receive of this message alone.
  void take(Message* message) { unlink(message); }
  // Removes an unexpected message that its sender cancels. Calls `on_match(Pair)` for each pair that matches because of
  // it.
  template <class F>
  void take(Message* message, F on_match) {
    unlink(message);
    while (Pair more = uncovered()) {
      match(more);
      on_match(more);
    }
  }
  // The unexpected message with this sequence number of its source; null if there is none.
  Message* unexpected(int source, std::uint64_t sequence) const;
  // Removes a posted receive whose operation is over.
  void withdraw(Posted* receive);
  // The program cancels a receive that has matched no message, or a message that has not arrived: the effect is as
  // if it had never been posted. `behind`: all receives that are matched with later messages of that message's
  // source in its context, none of which has arrived; all of them are matched anew. Calls `on_match(Pair)` for each.
  template <class F>
  void cancel(Posted* receive, std::span<Posted* const> behind, F on_match) {
    unmatch(receive, behind);
    while (Pair more = uncovered()) {
      match(more);
      on_match(more);
    }
  }

  // The next choice of a receive from any source, by the order of the instants at which they are made. The message may
  // be matched once no message of lower key can come.
  Pair least_wildcard_pair() const;
  // Matches such a pair, and the pairs that become possible by it; calls `on_match(Pair)` for each.
  template <class F>
  [[gnu::hot]] void match_wildcard(Pair pair, F on_match) {
    hold_back(pair);
    match(pair);
    on_match(pair);
    while (Pair more = uncovered()) {
      match(more);
      on_match(more);
    }
  }

  // A message in transit arrives at `at` (`for_certain`), or no sooner than `at`.
  void move(Message* message, Instant at, bool for_certain);

  // True if a message before `key` is accepted by a receive, but waits for a choice.
  bool waits_behind_before(const Arrival& key) const;

  // The message that a probe with this filter finds now; null if none.
  Message* probe(const Filter& filter) const;

  int posted_receives() const { return named_ + wildcards_; }
  int posted_wildcards() const { return wildcards_; }
  // Appends the sources that posted receives name, without repetition.
  void named_sources(std::vector<int>& into) const { named_peers_.append_to(into); }

 private:
  // The last choice of a message of a source: a message that comes in later may have had to wait for it.
  struct Chosen {
    Instant at;
    Filter chooser;
    record::Path path;
  };
  struct Line {  // unexpected messages of one source, in send order
    Message* first = nullptr;
    Message* last = nullptr;
    std::unique_ptr<Chosen> chosen;  // null: none was
  };
  static void hold(Message* message, const Chosen& last);
  const Line& line_of(int source) const { return by_source_[static_cast<std::size_t>(source)]; }
  Posted* first_accepting(const Envelope& envelope) const;
  // The first unexpected message of that source, in send order, that `filter` accepts; null: none.
  Message* first_of_source(int source, const Filter& filter) const;
  // The message and the first receive that accepts it, if they may match.
  Pair pair_of(Message* message, bool wildcard) const;
  // Calls f(receive) with posted receives, among them the first one of each filter.
  template <class F>
  void each_filter(F f) const;
  // True if lookups for all filters are faster than a walk over all messages.
  bool looked_up() const {
    return indexed_ && std::min(posted_count(), walked_) + index_.filters() < by_key_.size();
  }
  std::size_t posted_count() const { return static_cast<std::size_t>(named_ + wildcards_); }
  // Order of choices: instant, posting of a receive that chooses as it is posted, key of the message.
  using ChoiceKey = std::tuple<Instant, std::uint64_t, Arrival>;
  static ChoiceKey choice_key(const Message& m, const Posted& r);
  [[gnu::noinline]] Pair least_walked(Pair least) const;
  Pair least_looked_up(bool wildcard) const;
  void hold_back_looked_up(Pair chosen, Instant now);
  Message* probe_looked_up(const Filter& filter) const;
  Pair uncovered() const;
  // Holds messages that arrived before the chosen message and had to wait for that choice, until its
  // instant.
  void hold_back(Pair chosen);
  bool waits_behind(const Message* m, Pair chosen) const;
  void match(Pair pair);
  void unlink(Posted* receive);
  void unlink(Message* message);
  void link(Posted* receive);
  void append(Line& line, Message* message);
  // Updates the index: the message has joined or left the unexpected queue.
  void note(Message* message);
  [[gnu::noinline]] void build_message_index();
  void drop(Message* message);
  void unmatch(Posted* receive, std::span<Posted* const> behind);
  void put_back(Message* message);
  void put_back(Posted* receive);

  Paged<Line, 16> by_source_;
  std::set<Message*, MessageIndex::ByKey> by_key_;
  std::vector<decltype(by_key_)::node_type> spare_;  // nodes of by_key_ for the next messages
  Posted* first_ = nullptr;
  Posted* last_ = nullptr;
  int named_ = 0;
  int wildcards_ = 0;
  std::uint64_t posted_ = 0;  // number so far
  Peers named_peers_;
  const std::size_t walked_;
  // Index of all posted receives except some of the first `walked_`.
  ReceiveIndex<Posted> index_;
  // Index of all unexpected messages, while there are many of them.
  MessageIndex messages_;
  bool indexed_ = false;
  std::vector<Message*> held_;  // scratch
};

}  // namespace emu::match
