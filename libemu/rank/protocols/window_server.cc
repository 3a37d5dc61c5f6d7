#include "rank/protocols/window_server.h"

#include <cstring>
#include <utility>

namespace emu::rank {

using match::Message;
using record::OperationKind;

namespace {

OperationHeader header_of(const Message& m) {
  OperationHeader header;
  std::memcpy(&header, m.payload(), sizeof header);
  return header;
}

static_assert(static_cast<int>(OperationKind::withdraw) + 1 == record::operation_kinds);

constexpr bool applies(OperationKind kind) {
  return kind == OperationKind::act || kind == OperationKind::withdraw;
}

}  // namespace

void WindowServer::open(match::Context window, WindowMemory& memory) { windows_[window].memory = &memory; }

void WindowServer::close(match::Context window) { windows_.erase(window); }

void WindowServer::arrived(Message* operation) { pending_.insert(operation); }

// --- events

void WindowServer::offer_loss(Event& least) {
  const int lost = first_to_be_lost();
  if (lost < 0) return;
  const Event e = core_.failures.event(*this, lost, Instant::start());
  if (e.before(least)) least = e;
}

// The effect costs this rank nothing and does not depend on its other events.
void WindowServer::offer_operation(Event& least) {
  if (core_.failures.noticed()) offer_loss(least);
  if (pending_.empty()) return;
  Message* const m = *pending_.begin();
  const Event e{.protocol = this, .key = m->key(), .at = m->ready(), .free = true, .message = m};
  if (e.before(least)) least = e;
}

// On the path of every call that waits; usually there is nothing to offer.
[[gnu::hot]] void WindowServer::offer(Event& least) {
  if (core_.failures.noticed() || !pending_.empty()) offer_operation(least);
}

// An operation of any rank may precede another operation.
[[gnu::hot]] void WindowServer::add_sources(const Event& next, SourceList& sources) const {
  if (next.protocol == this) sources.everyone = true;
}

void WindowServer::handle(const Event& event) {
  if (!event.message) return give_back(event.failed);
  pending_.erase(event.message);
  take_effect(event.message);
}

// --- effects

void WindowServer::take_effect(Message* m) {
  const OperationHeader header = header_of(*m);
  const auto it = windows_.find(header.window);
  if (it == windows_.end()) return core_.transport.release(m);  // freed before its operations were over
  Window& window = it->second;
  const int origin = m->envelope.source;
  if (header.kind != OperationKind::withdraw && m->ready() > core_.failures.known(origin))
    return core_.transport.release(m);
  if (const auto behind = window.behind.find(origin); behind != window.behind.end()) {
    behind->second.push_back(m);
    return;
  }
  if ((header.kind == OperationKind::lock || header.locks) && !window.holders.contains(origin)) {
    const bool exclusive = header.kind == OperationKind::lock && header.exclusive;
    const bool shared = window.holders.empty() || (!exclusive && !window.holders.begin()->second);
    if (!shared || !window.waiting.empty()) {
      window.waiting.push_back(origin);
      window.behind[origin].push_back(m);
      return;
    }
    window.holders[origin] = exclusive;
  }
  act(window, m);
}

void WindowServer::act(Window& window, Message* m) {
  const OperationHeader header = header_of(*m);
  if (header.answer)
    answer(m, header, window);
  else if (applies(header.kind))
    window.memory->apply(
        {m->payload() + sizeof header, static_cast<std::size_t>(m->envelope.bytes) - sizeof header}, nullptr);
  if (header.kind == OperationKind::unlock) release(window, m->envelope.source, m->ready(), m->path);
  core_.transport.release(m);
}

void WindowServer::answer(Message* m, const OperationHeader& header, Window& window) {
  Message* const answer = core_.transport.allocate(header.answers);
  answer->kind = Message::Kind::result;
  answer->envelope = {header.window, core_.number, 0, header.answers};
  answer->sender_request = header.answer;
  if (applies(header.kind))
    window.memory->apply(
        {m->payload() + sizeof header, static_cast<std::size_t>(m->envelope.bytes) - sizeof header},
        answer->payload());
  egress_.answer(m->envelope.source, answer, *m, header.kind == OperationKind::withdraw);
}

// Grants the lock to the waiting origins that can have it together, at the instant of the
// unlock, `at`, with path `way`. The operations that they sent meanwhile take effect then.
void WindowServer::release(Window& window, int origin, Instant at, const record::Path& way) {
  window.holders.erase(origin);
  while (!window.waiting.empty()) {
    const int next = window.waiting.front();
    auto behind = window.behind.find(next);
    const OperationHeader header = header_of(*behind->second.front());
    const bool exclusive = header.kind == OperationKind::lock && header.exclusive;
    if (!window.holders.empty() && (exclusive || window.holders.begin()->second)) return;
    window.holders[next] = exclusive;
    window.waiting.pop_front();
    for (Message* m : behind->second) {
      if (m->ready() < at) m->hold_until(at, way);
      pending_.insert(m);
    }
    window.behind.erase(behind);
  }
}

// --- failed origins

// Of the origins that have or await a lock here: the one whose failure is known first; -1: none fails.
int WindowServer::first_to_be_lost() const {
  int first = -1;
  const auto consider = [&](int origin) {
    const Instant known = core_.failures.known(origin);
    if (known.is_never()) return;
    if (first < 0 || std::pair(known, origin) < std::pair(core_.failures.known(first), first)) first = origin;
  };
  for (const auto& [name, window] : windows_) {
    for (const auto& [origin, exclusive] : window.holders) consider(origin);
    for (const int origin : window.waiting) consider(origin);
  }
  return first;
}

// The failure of the origin is known now: its locks are released, and its lock requests are removed.
void WindowServer::give_back(int origin) {
  record::Path way = core_.failures.path(origin);
  way.hop = record::Hop::failure_of(origin);
  for (auto& [name, window] : windows_) {
    if (const auto behind = window.behind.extract(origin); !behind.empty()) {
      for (Message* m : behind.mapped()) core_.transport.release(m);
      std::erase(window.waiting, origin);
    }
    release(window, origin, core_.failures.known(origin), way);
  }
}

}  // namespace emu::rank
