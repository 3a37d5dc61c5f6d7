// Which message meets which receive: posted receives in program order, unbound messages in send order per
// source, and the binding rules of rank/semantics.md. Knows nothing of clocks or costs.
#pragma once

#include <memory_resource>
#include <set>
#include <vector>

#include "match/message.h"

namespace emu::match {

// A receive as the queue sees it; requests derive from it.
struct Posted {
  Filter filter;
  Message* matched = nullptr;  // the eager message or request it met
  Instant posted;              // when

  bool wildcard() const { return filter.source == any_source; }

 private:
  friend class Queue;
  Posted* previous_ = nullptr;
  Posted* next_ = nullptr;
};

class Queue {
 public:
  explicit Queue(int ranks) : by_source_(static_cast<std::size_t>(ranks)) {}

  struct Pair {
    Message* message = nullptr;
    Posted* receive = nullptr;
    explicit operator bool() const { return message != nullptr; }
  };

  // A receive joins the posted list; an eager message or request joins the unbound, those of one source in
  // the order in which they were sent. Returns what bound because of it (a receive that names its source
  // binds as soon as it can).
  Pair post(Posted* receive);
  Pair add(Message* message);
  // Takes an unbound receive back (cancelled, or replaced).
  void withdraw(Posted* receive);

  // The least message that would bind to a receive with a wildcard source. It may be bound once nothing lower
  // can come.
  Pair least_wildcard_pair() const;
  // Binds such a pair, and whatever it uncovers; calls `on_bound(Pair)` for each.
  template <class F>
  [[gnu::hot]] void bind_wildcard(Pair pair, F on_bound) {
    hold_back(pair);
    bind(pair);
    on_bound(pair);
    while (Pair more = uncovered()) {
      bind(more);
      on_bound(more);
    }
  }

  // Whether a message that comes before `key` meets a receive, but waits for a choice.
  bool stands_back_before(const Arrival& key) const;

  // What a probe with this filter finds now, null if nothing.
  Message* probe(const Filter& filter) const;

  int unbound_receives() const { return named_ + wildcards_; }
  int unbound_wildcards() const { return wildcards_; }
  // Appends the sources that unbound receives name.
  void named_sources(std::vector<int>& into) const;

 private:
  struct Line {  // unbound messages of one source, in send order
    Message* first = nullptr;
    Message* last = nullptr;
    // The last choice of a message of this source: a later one may come in only now and yet have stood back.
    Instant chosen;
    Filter chooser;
    record::Path chosen_path;
  };
  struct KeyLess {
    bool operator()(const Message* a, const Message* b) const { return a->turn() < b->turn(); }
  };

  Posted* first_accepting(const Envelope& envelope) const;
  // m is, in send order, the first unbound message of its source that `filter` accepts.
  static bool first_of_source(const Line& line, const Message* m, const Filter& filter);
  Pair uncovered() const;
  // Whatever arrived before the message that is now chosen, and had to wait for that choice, was held until
  // then.
  void hold_back(Pair chosen);
  bool stands_back(const Message* m, Pair chosen) const;
  void bind(Pair pair);
  void unlink(Posted* receive);
  void unlink(Message* message);
  void append(Line& line, Message* message);

  std::vector<Line> by_source_;
  std::pmr::unsynchronized_pool_resource nodes_;
  std::pmr::set<Message*, KeyLess> by_key_{&nodes_};
  Posted* first_ = nullptr;
  Posted* last_ = nullptr;
  int named_ = 0;
  int wildcards_ = 0;
};

}  // namespace emu::match
