#include "match/queue.h"

#include <utility>

namespace emu::match {

[[gnu::hot]] Posted* Queue::first_accepting(const Envelope& envelope) const {
  for (Posted* r = first_; r; r = r->next_)
    if (r->filter.accepts(envelope)) return r;
  return nullptr;
}

// `m` null: the end of the line.
[[gnu::hot]] bool Queue::first_of_source(const Line& line, const Message* m, const Filter& filter) {
  for (const Message* x = line.first; x != m; x = x->next)
    if (filter.accepts(x->envelope)) return false;
  return true;
}

[[gnu::hot]] Queue::Pair Queue::post(Posted* receive) {
  receive->matched = nullptr;
  receive->next_ = nullptr;
  receive->previous_ = last_;
  (last_ ? last_->next_ : first_) = receive;
  last_ = receive;
  receive->order_ = ++posted_;
  ++(receive->wildcard() ? wildcards_ : named_);
  if (receive->wildcard()) return {};
  const Line& line = std::as_const(by_source_)[static_cast<std::size_t>(receive->filter.source)];
  for (Message* m = line.first; m; m = m->next) {
    if (!receive->filter.accepts(m->envelope)) continue;
    // A receive posted before may still lay claim to it: only one with a wildcard, the others would have it
    // by now.
    if (wildcards_ > 0 && first_accepting(m->envelope) != receive) return {};
    Pair pair{m, receive};
    match(pair);
    return pair;
  }
  return {};
}

[[gnu::hot]] Queue::Pair Queue::add(Message* message) {
  Line& line = by_source_[static_cast<std::size_t>(message->envelope.source)];
  if (message->arrival.at < line.chosen && line.chooser.accepts(message->envelope))
    message->hold_until(line.chosen, line.chosen_path);
  Posted* receive = first_accepting(message->envelope);
  if (!receive || receive->wildcard() || !first_of_source(line, nullptr, receive->filter)) {
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
  by_key_.insert(message);
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
  by_key_.insert(message);
}

void Queue::put_back(Posted* receive) {
  Posted* before = last_;
  while (before && before->order_ > receive->order_) before = before->previous_;
  receive->previous_ = before;
  receive->next_ = before ? before->next_ : first_;
  (receive->previous_ ? receive->previous_->next_ : first_) = receive;
  (receive->next_ ? receive->next_->previous_ : last_) = receive;
  ++(receive->wildcard() ? wildcards_ : named_);
}

[[gnu::hot]] Queue::Pair Queue::least_wildcard_pair() const {
  if (wildcards_ == 0) return {};
  for (Message* m : by_key_) {
    Posted* r = first_accepting(m->envelope);
    if (r && r->wildcard() &&
        first_of_source(by_source_[static_cast<std::size_t>(m->envelope.source)], m, r->filter))
      return {m, r};
  }
  return {};
}

// Whether `m` waited for a receive when that choice was made: not for one that was posted only afterwards.
bool Queue::stands_back(const Message* m, Pair chosen) const {
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
  if (now > line.chosen) {
    line.chosen = now;
    line.chooser = chosen.receive->filter;
    line.chosen_path = chosen.message->path;
  }
  held_.clear();
  for (Message* m : by_key_) {
    if (m->ready() >= now) break;
    if (m != chosen.message && stands_back(m, chosen)) held_.push_back(m);
  }
  for (Message* m : held_) {
    by_key_.erase(m);
    m->hold_until(now, chosen.message->path);
    by_key_.insert(m);
  }
}

// After a wildcard receive has made its choice, messages it laid claim to may be free for receives behind it.
[[gnu::hot]] Queue::Pair Queue::uncovered() const {
  if (named_ == 0) return {};
  for (Message* m : by_key_) {
    Posted* r = first_accepting(m->envelope);
    if (r && !r->wildcard() &&
        first_of_source(by_source_[static_cast<std::size_t>(m->envelope.source)], m, r->filter))
      return {m, r};
  }
  return {};
}

[[gnu::hot]] bool Queue::stands_back_before(const Arrival& key) const {
  for (const Message* m : by_key_) {
    if (m->turn() >= key) return false;
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

void Queue::named_sources(std::vector<int>& into) const {
  if (named_ == 0) return;
  for (const Posted* r = first_; r; r = r->next_)
    if (!r->wildcard()) into.push_back(r->filter.source);
}

[[gnu::hot]] void Queue::match(Pair pair) {
  unlink(pair.receive);
  unlink(pair.message);
  pair.receive->matched = pair.message;
}

[[gnu::hot]] void Queue::unlink(Posted* r) {
  (r->previous_ ? r->previous_->next_ : first_) = r->next_;
  (r->next_ ? r->next_->previous_ : last_) = r->previous_;
  r->previous_ = r->next_ = nullptr;
  --(r->wildcard() ? wildcards_ : named_);
}

[[gnu::hot]] void Queue::unlink(Message* m) {
  Line& line = by_source_[static_cast<std::size_t>(m->envelope.source)];
  (m->previous ? m->previous->next : line.first) = m->next;
  (m->next ? m->next->previous : line.last) = m->previous;
  m->previous = m->next = nullptr;
  by_key_.erase(m);
}

}  // namespace emu::match
