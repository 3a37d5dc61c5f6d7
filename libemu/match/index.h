// Index of a rank's two queues (match/queue.h) when they are long: by the filters of receives.
#pragma once

#include <array>
#include <cstddef>
#include <memory_resource>
#include <set>
#include <unordered_map>
#include <vector>

#include "match/message.h"

namespace emu::match {

struct FilterHash {
  std::size_t operator()(const Filter& f) const {
    std::uint64_t hash = f.context * 0x9e3779b97f4a7c15u;
    const auto mix = [&hash](std::uint64_t part) {
      hash = (hash ^ part) * 0xff51afd7ed558ccdu;
      hash ^= hash >> 32;
    };
    mix(static_cast<std::uint32_t>(f.source));
    mix(static_cast<std::uint64_t>(static_cast<std::uint32_t>(f.tag)) << 32 | f.series);
    return hash;
  }
};

// The four filters that accept a message with this envelope.
inline std::array<Filter, 4> filters_of(const Envelope& e) {
  return {Filter{e.context, e.source, e.tag, e.series}, Filter{e.context, e.source, any_tag, e.series},
          Filter{e.context, any_source, e.tag, e.series}, Filter{e.context, any_source, any_tag, e.series}};
}

// The filter, restricted to messages of this source.
inline Filter from(int source, Filter filter) {
  filter.source = source;
  return filter;
}

// Unexpected messages by the filters that accept them.
class MessageIndex {
 public:
  struct ByKey {
    bool operator()(const Message* a, const Message* b) const { return a->key() < b->key(); }
  };
  struct BySending {
    bool operator()(const Message* a, const Message* b) const {
      return a->arrival.sequence < b->arrival.sequence;
    }
  };
  using InKeyOrder = std::pmr::set<Message*, ByKey>;
  using InLine = std::pmr::set<Message*, BySending>;

  void add(Message* m);
  void remove(Message* m);
  void clear();

  // The messages that a filter accepts: in send order if it names its source; otherwise in key order.
  // Null: none.
  const InLine* line(const Filter& named) const {
    const auto found = lines_.find(named);
    return found == lines_.end() ? nullptr : &found->second;
  }
  const InKeyOrder* crowd(const Filter& wildcard) const {
    const auto found = crowds_.find(wildcard);
    return found == crowds_.end() ? nullptr : &found->second;
  }

 private:
  std::pmr::unsynchronized_pool_resource nodes_;
  std::unordered_map<Filter, InLine, FilterHash> lines_;
  std::unordered_map<Filter, InKeyOrder, FilterHash> crowds_;
};

// Posted receives by their filters. `Receive` has a filter, an order, and
// two links for the list of receives with an equal filter, in posting order.
template <class Receive>
class ReceiveIndex {
 public:
  void add(Receive* r) {
    List& list = lists_[r->filter];
    Receive* before = list.last;
    while (before && before->order() > r->order()) before = before->alike.previous;
    r->alike = {before, before ? before->alike.next : list.first, true};
    (before ? before->alike.next : list.first) = r;
    (r->alike.next ? r->alike.next->alike.previous : list.last) = r;
  }
  void remove(Receive* r) {
    const auto found = lists_.find(r->filter);
    List& list = found->second;
    (r->alike.previous ? r->alike.previous->alike.next : list.first) = r->alike.next;
    (r->alike.next ? r->alike.next->alike.previous : list.last) = r->alike.previous;
    r->alike = {};
    if (!list.first) lists_.erase(found);
  }
  // The first receive that accepts the envelope; null: none.
  Receive* first_accepting(const Envelope& envelope) const {
    Receive* first = nullptr;
    if (lists_.empty()) return first;
    for (const Filter& filter : filters_of(envelope)) {
      const auto found = lists_.find(filter);
      if (found == lists_.end()) continue;
      if (!first || found->second.first->order() < first->order()) first = found->second.first;
    }
    return first;
  }
  std::size_t filters() const { return lists_.size(); }
  // Calls f(receive) with the first receive of each filter.
  template <class F>
  void each_filter(F f) const {
    for (const auto& [filter, list] : lists_) f(list.first);
  }

 private:
  struct List {
    Receive* first = nullptr;
    Receive* last = nullptr;
  };
  std::unordered_map<Filter, List, FilterHash> lists_;
};

}  // namespace emu::match
