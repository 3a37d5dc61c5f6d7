// Matching of messages with receives: the posted-receive queue, in program order; the unexpected queue, of messages
// that no receive has matched, in send order for each source; and the rules of rank/semantics.md, "Matching". Knows
// nothing of clocks or costs.
//
// Both queues are walked as long as they are short. Of longer ones there are indexes (match/index.h), so that what a receive, a
// message or a choice costs does not grow with what has nothing to do with it.
#pragma once

#include <algorithm>
#include <memory_resource>
#include <set>
#include <span>
#include <vector>

#include "base/paged.h"
#include "match/index.h"
#include "match/message.h"
#include "match/peers.h"

namespace emu::match {

// A receive as the queue sees it; requests derive from it.
struct Posted {
  Filter filter;
  Message* matched = nullptr;  // the eager message or request it met
  Instant posted;              // when

  bool wildcard() const { return filter.source == any_source; }
  std::uint64_t order() const { return order_; }

 private:
  friend class Queue;
  friend class ReceiveIndex<Posted>;
  Posted* previous_ = nullptr;
  Posted* next_ = nullptr;
  std::uint64_t order_ = 0;  // among all that were posted
  struct {
    Posted* previous = nullptr;
    Posted* next = nullptr;
    bool indexed = false;
  } alike;  // of those that ask for the same, if it is in the index
};

class Queue {
 public:
  // `walked`: up to how many entries a queue is walked.
  explicit Queue(int ranks, std::size_t walked = 16)
      : by_source_(static_cast<std::size_t>(ranks)), named_peers_(ranks), walked_(walked) {}

  struct Pair {
    Message* message = nullptr;
    Posted* receive = nullptr;
    explicit operator bool() const { return message != nullptr; }
  };

  // A receive joins the posted-receive queue; an eager message or request the unexpected queue, those of one
  // source in the order in which they were sent. Returns what is matched because of it (a receive that names its
  // source is matched as soon as it can be).
  Pair post(Posted* receive);
  Pair add(Message* message);
  // Takes an unexpected message that a probe has found out, for a receive that is made for it alone.
  void take(Message* message) { unlink(message); }
  // Takes an unexpected message that its sender takes back. Calls `on_match(Pair)` for what is matched because of it.
  template <class F>
  void take(Message* message, F on_match) {
    unlink(message);
    while (Pair more = uncovered()) {
      match(more);
      on_match(more);
    }
  }
  // The unexpected message of that place in the order in which its source sends; null if there is none.
  Message* unexpected(int source, std::uint64_t sequence) const;
  // Takes a posted receive back (what it belonged to is over).
  void withdraw(Posted* receive);
  // The program takes a receive back that has met no message yet, or one that is not there for it yet: as if it had
  // never been posted. `behind`: all receives that are matched with later messages of that one's source in its
  // context, none of which is there yet; all are matched anew. Calls `on_match(Pair)` for each.
  template <class F>
  void cancel(Posted* receive, std::span<Posted* const> behind, F on_match) {
    unmatch(receive, behind);
    while (Pair more = uncovered()) {
      match(more);
      on_match(more);
    }
  }

  // The least message that would match a receive with a wildcard source. It may be matched once nothing lower
  // can come.
  Pair least_wildcard_pair() const;
  // Matches such a pair, and whatever it uncovers; calls `on_match(Pair)` for each.
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

  // A message in transit arrives no sooner than `at`; or, `for_certain`, then.
  void move(Message* message, Instant at, bool for_certain);

  // Whether a message that comes before `key` meets a receive, but waits for a choice.
  bool stands_back_before(const Arrival& key) const;

  // What a probe with this filter finds now, null if nothing.
  Message* probe(const Filter& filter) const;

  int posted_receives() const { return named_ + wildcards_; }
  int posted_wildcards() const { return wildcards_; }
  // Appends the sources that posted receives name, each once.
  void named_sources(std::vector<int>& into) const { named_peers_.append_to(into); }

 private:
  struct Line {  // unexpected messages of one source, in send order
    Message* first = nullptr;
    Message* last = nullptr;
    // The last choice of a message of this source: a later one may come in only now and yet have stood back.
    Instant chosen;
    Filter chooser;
    record::Path chosen_path;
  };
  const Line& line_of(int source) const { return by_source_[static_cast<std::size_t>(source)]; }
  Posted* first_accepting(const Envelope& envelope) const;
  // The first unexpected message of that source, in send order, that `filter` accepts; null: none.
  Message* first_of_source(int source, const Filter& filter) const;
  // That message and the first receive that accepts it, if they are a pair.
  Pair pair_of(Message* message, bool wildcard) const;
  // Calls f(receive) with posted receives, among them the first of each that ask for the same.
  template <class F>
  void each_filter(F f) const;
  // Whether it is less work to look up what each filter accepts than to walk over all messages.
  bool looked_up() const {
    return indexed_ && std::min(posted_count(), walked_) + index_.filters() < by_key_.size();
  }
  std::size_t posted_count() const { return static_cast<std::size_t>(named_ + wildcards_); }
  Pair least_looked_up(bool wildcard) const;
  void hold_back_looked_up(Pair chosen, Instant now);
  Message* probe_looked_up(const Filter& filter) const;
  Pair uncovered() const;
  // Whatever arrived before the message that is now chosen, and had to wait for that choice, was held until
  // then.
  void hold_back(Pair chosen);
  bool stands_back(const Message* m, Pair chosen) const;
  void match(Pair pair);
  void unlink(Posted* receive);
  void unlink(Message* message);
  void link(Posted* receive);
  void append(Line& line, Message* message);
  // The message is among the unexpected ones now, or is not any more.
  void note(Message* message);
  [[gnu::noinline]] void build_message_index();
  void drop(Message* message);
  void unmatch(Posted* receive, std::span<Posted* const> behind);
  void put_back(Message* message);
  void put_back(Posted* receive);

  Paged<Line, 16> by_source_;
  std::pmr::unsynchronized_pool_resource nodes_;
  std::pmr::set<Message*, MessageIndex::ByTurn> by_key_{&nodes_};
  Posted* first_ = nullptr;
  Posted* last_ = nullptr;
  int named_ = 0;
  int wildcards_ = 0;
  std::uint64_t posted_ = 0;  // so far
  Peers named_peers_;
  const std::size_t walked_;
  // Of all posted receives but some of the first `walked_`.
  ReceiveIndex<Posted> index_;
  // Of all unexpected messages, while there are many of them.
  MessageIndex messages_;
  bool indexed_ = false;
  std::vector<Message*> held_;  // scratch
};

}  // namespace emu::match
