#include "match/queue.h"

#include <algorithm>
#include <utility>

namespace emu::match {

namespace {

// Lookups of long queues, out of line: then a walk of a short queue does without their registers.
[[gnu::noinline]] Posted* look_up(const ReceiveIndex<Posted>& index, const Envelope& envelope) {
  return index.first_accepting(envelope);
}
[[gnu::noinline]] Message* look_up(const MessageIndex& index, const Filter& named) {
  const MessageIndex::InLine* const line = index.line(named);
  return line ? *line->begin() : nullptr;
}

}  // namespace

// Receives without an entry in the index are among the first `walked_`.
[[gnu::hot]] Posted* Queue::first_accepting(const Envelope& envelope) const {
  std::size_t walked = 0;
  for (Posted* r = first_; r; r = r->next_) {
    if (walked++ == walked_) [[unlikely]]
      return look_up(index_, envelope);
    if (r->filter.accepts(envelope)) return r;
  }
  return nullptr;
}

[[gnu::hot]] Message* Queue::first_of_source(int source, const Filter& filter) const {
  if (indexed_) [[unlikely]]
    return look_up(messages_, from(source, filter));
  for (Message* m = line_of(source).first; m; m = m->next)
    if (filter.accepts(m->envelope)) return m;
  return nullptr;
}

[[gnu::hot]] Queue::Pair Queue::pair_of(Message* m, bool wildcard) const {
  Posted* const r = first_accepting(m->envelope);
  if (r && r->wildcard() == wildcard && first_of_source(m->envelope.source, r->filter) == m) return {m, r};
  return {};
}

template <class F>
void Queue::each_filter(F f) const {
  std::size_t walked = 0;
  for (Posted* r = first_; r && walked < walked_; r = r->next_, ++walked) f(r);
  index_.each_filter(f);
}

[[gnu::hot]] Queue::Pair Queue::post(Posted* receive) {
  receive->matched = nullptr;
  receive->order_ = ++posted_;
  if (!receive->wildcard()) {
    Message* const m = first_of_source(receive->filter.source, receive->filter);
    // A receive posted earlier may have to match the message first. That can only be one
    // from any source: a receive that names its source would have matched it already.
    if (m && (wildcards_ == 0 || !first_accepting(m->envelope))) {
      unlink(m);
      receive->matched = m;
      return {m, receive};
    }
  }
  receive->next_ = nullptr;
  receive->previous_ = last_;
  (last_ ? last_->next_ : first_) = receive;
  last_ = receive;
  if (posted_count() >= walked_) [[unlikely]]
    index_.add(receive);
  link(receive);
  return {};
}

void Queue::hold(Message* message, const Chosen& last) {
  if (message->arrival.at < last.at && last.chooser.accepts(message->envelope))
    message->hold_until(last.at, last.path);
}

[[gnu::hot]] Queue::Pair Queue::add(Message* message) {
  Line& line = by_source_[static_cast<std::size_t>(message->envelope.source)];
  if (line.chosen && !message->in_transit) hold(message, *line.chosen);
  Posted* receive = first_accepting(message->envelope);
  if (!receive || receive->wildcard() || first_of_source(message->envelope.source, receive->filter)) {
    append(line, message);
    return {};
  }
  message->previous = message->next = nullptr;
  unlink(receive);
  receive->matched = message;
  return {message, receive};
}

[[gnu::hot]] void Queue::append(Line& line, Message* message) {
  message->next = nullptr;
  message->previous = line.last;
  (line.last ? line.last->next : line.first) = message;
  line.last = message;
  note(message);
}

void Queue::move(Message* message, Instant at, bool for_certain) {
  const bool unexpected = message->unexpected;
  if (unexpected) drop(message);
  message->arrival.at = at;
  const Line& line = line_of(message->envelope.source);
  if (unexpected && for_certain && line.chosen) hold(message, *line.chosen);
  if (unexpected) note(message);
}

[[gnu::hot]] void Queue::note(Message* message) {
  message->unexpected = true;
  if (spare_.empty()) {
    by_key_.insert(message);
  } else {
    spare_.back().value() = message;
    by_key_.insert(std::move(spare_.back()));
    spare_.pop_back();
  }
  if (indexed_) [[unlikely]]
    messages_.add(message);
  else if (by_key_.size() > 4 * walked_) [[unlikely]]
    build_message_index();
}

void Queue::build_message_index() {
  for (Message* m : by_key_) messages_.add(m);
  indexed_ = true;
}

[[gnu::hot]] void Queue::drop(Message* message) {
  message->unexpected = false;
  spare_.push_back(by_key_.extract(message));
  if (!indexed_) [[likely]]
    return;
  messages_.remove(message);
  if (by_key_.size() > walked_) return;
  messages_.clear();
  indexed_ = false;
}

void Queue::withdraw(Posted* receive) { unlink(receive); }

void Queue::unmatch(Posted* receive, std::span<Posted* const> behind) {
  if (!receive->matched) return unlink(receive);
  put_back(std::exchange(receive->matched, nullptr));
  for (Posted* r : behind) {
    put_back(std::exchange(r->matched, nullptr));
    put_back(r);
  }
}

void Queue::put_back(Message* message) {
  Line& line = by_source_[static_cast<std::size_t>(message->envelope.source)];
  Message* before = line.last;
  while (before && before->arrival.sequence > message->arrival.sequence) before = before->previous;
  message->previous = before;
  message->next = before ? before->next : line.first;
  (message->previous ? message->previous->next : line.first) = message;
  (message->next ? message->next->previous : line.last) = message;
  note(message);
}

void Queue::put_back(Posted* receive) {
  Posted* before = last_;
  while (before && before->order_ > receive->order_) before = before->previous_;
  receive->previous_ = before;
  receive->next_ = before ? before->next_ : first_;
  (receive->previous_ ? receive->previous_->next_ : first_) = receive;
  (receive->next_ ? receive->next_->previous_ : last_) = receive;
  link(receive);
  // The removal may have moved other receives out of the first `walked_`.
  for (Posted* r = first_; r && posted_count() > walked_; r = r->next_)
    if (!r->alike.indexed) index_.add(r);
}

// A receive that was posted before the message was ready chooses in key order. Others choose as they are posted.
Queue::ChoiceKey Queue::choice_key(const Message& m, const Posted& r) {
  const Instant at = std::max(m.ready(), r.posted);
  return {at, r.posted == at ? r.order_ : 0, m.key()};
}

[[gnu::hot]] Queue::Pair Queue::least_wildcard_pair() const {
  if (wildcards_ == 0) return {};
  if (looked_up()) [[unlikely]]
    return least_looked_up(true);
  for (Message* m : by_key_)
    if (const Pair pair = pair_of(m, true)) {
      if (wildcards_ == 1 || pair.receive->posted < m->ready()) [[likely]]
        return pair;
      return least_walked(pair);
    }
  return {};
}

// Given the possible pair of least key, whose receive was posted when its message was ready.
Queue::Pair Queue::least_walked(Pair least) const {
  const auto first =
      std::find_if(by_key_.begin(), by_key_.end(), [&](const Message* m) { return m == least.message; });
  for (auto it = std::next(first); it != by_key_.end(); ++it) {
    if ((*it)->ready() > std::max(least.message->ready(), least.receive->posted)) break;
    const Pair pair = pair_of(*it, true);
    if (pair && choice_key(*pair.message, *pair.receive) < choice_key(*least.message, *least.receive))
      least = pair;
  }
  return least;
}

// The message of a possible pair is one that the receive's filter accepts; for a named source, the first such message.
Queue::Pair Queue::least_looked_up(bool wildcard) const {
  Pair least;
  const auto place = [&](const Message* m, const Posted* r) {
    return wildcard ? choice_key(*m, *r) : ChoiceKey({}, 0, m->key());
  };
  // True if `r` has no pair of lesser place behind this message.
  const auto consider = [&](Message* m, const Posted* r) {
    if (least && place(least.message, least.receive) <= place(m, r)) return true;
    const Pair pair = pair_of(m, wildcard);
    if (pair) least = pair;
    return static_cast<bool>(pair);
  };
  each_filter([&](const Posted* r) {
    if (r->wildcard() != wildcard) return;
    if (!wildcard) {
      if (Message* const m = first_of_source(r->filter.source, r->filter)) consider(m, r);
    } else if (const MessageIndex::InKeyOrder* const crowd = messages_.crowd(r->filter)) {
      for (Message* m : *crowd)
        if (consider(m, r)) return;
    }
  });
  return least;
}

// True if `m` was waiting for a receive when that choice was made. Receives posted after the choice do not count.
bool Queue::waits_behind(const Message* m, Pair chosen) const {
  bool before = true;
  for (Posted* r = first_; r; r = r->next_) {
    if (r == chosen.receive) before = false;
    if ((before || r == chosen.receive || r->posted < chosen.message->ready()) &&
        r->filter.accepts(m->envelope))
      return true;
  }
  return false;
}

[[gnu::hot]] void Queue::hold_back(Pair chosen) {
  const Instant now = chosen.message->ready();
  Line& line = by_source_[static_cast<std::size_t>(chosen.message->envelope.source)];
  if (!line.chosen) line.chosen = std::make_unique<Chosen>();
  if (Chosen& last = *line.chosen; now > last.at) {
    last.at = now;
    last.chooser = chosen.receive->filter;
    last.path = chosen.message->path;
  }
  held_.clear();
  if (looked_up()) [[unlikely]]
    hold_back_looked_up(chosen, now);
  else
    for (Message* m : by_key_) {
      if (m->ready() >= now) break;
      if (m != chosen.message && waits_behind(m, chosen)) held_.push_back(m);
    }
  for (Message* m : held_) {
    drop(m);
    m->hold_until(now, chosen.message->path);
    note(m);
  }
}

// Of receives with an equal filter, the first was posted first. A message may be found more than once.
void Queue::hold_back_looked_up(Pair chosen, Instant now) {
  each_filter([&](const Posted* r) {
    if (r->order_ > chosen.receive->order_ && r->posted >= now) return;
    if (const auto* const crowd = r->wildcard() ? messages_.crowd(r->filter) : nullptr) {
      for (Message* m : *crowd) {
        if (m->ready() >= now) break;
        if (m != chosen.message) held_.push_back(m);
      }
    } else if (const auto* const line = r->wildcard() ? nullptr : messages_.line(r->filter)) {
      for (Message* m : *line)
        if (m->ready() < now && m != chosen.message) held_.push_back(m);
    }
  });
  std::sort(held_.begin(), held_.end());
  held_.erase(std::unique(held_.begin(), held_.end()), held_.end());
}

// After the choice of a receive from any source, messages that had to wait for it may match other receives.
[[gnu::hot]] Queue::Pair Queue::uncovered() const {
  if (named_ == 0) return {};
  if (looked_up()) [[unlikely]]
    return least_looked_up(false);
  for (Message* m : by_key_)
    if (const Pair pair = pair_of(m, false)) return pair;
  return {};
}

[[gnu::hot]] bool Queue::waits_behind_before(const Arrival& key) const {
  const auto before = [&key](const Message* m) { return m->key() < key; };
  if (looked_up()) [[unlikely]] {
    bool found = false;
    each_filter([&](const Posted* r) {
      if (found) return;
      if (const auto* const crowd = r->wildcard() ? messages_.crowd(r->filter) : nullptr)
        found = before(*crowd->begin());
      else if (const auto* const line = r->wildcard() ? nullptr : messages_.line(r->filter))
        found = std::any_of(line->begin(), line->end(), before);
    });
    return found;
  }
  for (const Message* m : by_key_) {
    if (!before(m)) return false;
    if (first_accepting(m->envelope)) return true;
  }
  return false;
}

Message* Queue::unexpected(int source, std::uint64_t sequence) const {
  Message* m = std::as_const(by_source_)[static_cast<std::size_t>(source)].first;
  while (m && m->arrival.sequence != sequence) m = m->next;
  return m;
}

Message* Queue::probe(const Filter& filter) const {
  if (indexed_) return probe_looked_up(filter);
  const auto offered = [&](const Message* m) {
    return filter.accepts(m->envelope) && !first_accepting(m->envelope);
  };
  if (filter.source != any_source) {
    for (Message* m = by_source_[static_cast<std::size_t>(filter.source)].first; m; m = m->next)
      if (offered(m)) return m;
    return nullptr;
  }
  for (Message* m : by_key_) {
    if (!offered(m)) continue;
    const Message* earlier = by_source_[static_cast<std::size_t>(m->envelope.source)].first;
    while (earlier != m && !offered(earlier)) earlier = earlier->next;
    if (earlier == m) return m;
  }
  return nullptr;
}

Message* Queue::probe_looked_up(const Filter& filter) const {
  const auto offered = [&](const Message* m) { return !first_accepting(m->envelope); };
  const auto first_in_line = [&](int source) -> Message* {
    const MessageIndex::InLine* const line = messages_.line(from(source, filter));
    if (!line) return nullptr;
    const auto found = std::find_if(line->begin(), line->end(), offered);
    return found == line->end() ? nullptr : *found;
  };
  if (filter.source != any_source) return first_in_line(filter.source);
  if (const MessageIndex::InKeyOrder* const crowd = messages_.crowd(filter))
    for (Message* m : *crowd)
      if (offered(m) && first_in_line(m->envelope.source) == m) return m;
  return nullptr;
}

[[gnu::hot]] void Queue::match(Pair pair) {
  unlink(pair.receive);
  unlink(pair.message);
  pair.receive->matched = pair.message;
}

[[gnu::hot]] void Queue::link(Posted* r) {
  ++(r->wildcard() ? wildcards_ : named_);
  if (!r->wildcard()) named_peers_.add(r->filter.source);
}

[[gnu::hot]] void Queue::unlink(Posted* r) {
  (r->previous_ ? r->previous_->next_ : first_) = r->next_;
  (r->next_ ? r->next_->previous_ : last_) = r->previous_;
  r->previous_ = r->next_ = nullptr;
  --(r->wildcard() ? wildcards_ : named_);
  if (!r->wildcard()) named_peers_.remove(r->filter.source);
  if (r->alike.indexed) [[unlikely]]
    index_.remove(r);
}

[[gnu::hot]] void Queue::unlink(Message* m) {
  Line& line = by_source_[static_cast<std::size_t>(m->envelope.source)];
  (m->previous ? m->previous->next : line.first) = m->next;
  (m->next ? m->next->previous : line.last) = m->previous;
  m->previous = m->next = nullptr;
  drop(m);
}

}  // namespace emu::match
