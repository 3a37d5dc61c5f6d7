#include "rank/protocols/windows.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "rank/recorded.h"

namespace emu::rank {

using match::Message;

struct Windows::Header {
  match::Context window;
  std::uint64_t answer;  // the number of the origin's AwaitedResult; 0: no result
  model::Bytes answers;
  Kind kind;
  bool exclusive, locks;
};

namespace {

template <class Header>
Header header_of(const Message& m) {
  Header header;
  std::memcpy(&header, m.payload(), sizeof header);
  return header;
}

static_assert(static_cast<int>(Windows::Kind::withdraw) + 1 == record::operation_kinds);

constexpr bool applies(Windows::Kind kind) {
  return kind == Windows::Kind::act || kind == Windows::Kind::withdraw;
}

}  // namespace

// --- target

void Windows::open(match::Context window, WindowMemory& memory) { windows_[window].memory = &memory; }

void Windows::close(match::Context window) { windows_.erase(window); }

// --- origin

void Windows::post(const Operation& o, std::uint64_t answer) {
  egress_.begin_send(o.bytes);
  const bool control = o.kind != Kind::act;
  const Interval cost = control ? core_.network.control_send(core_.number, o.to)
                                : core_.network.send_overhead(core_.number, o.to, o.bytes);
  if (control)
    core_.clock.control_send(cost);
  else
    core_.clock.send(cost, o.bytes);
  const Header header{o.window, answer, o.answers, o.kind, o.exclusive, o.locks};
  const auto carried = static_cast<model::Bytes>(sizeof header + o.described.size());
  Message* m = core_.transport.allocate(carried);
  m->kind = Message::Kind::operation;
  m->envelope = {o.window, core_.number, static_cast<int>(o.kind), carried};
  std::memcpy(m->payload(), &header, sizeof header);
  if (!o.described.empty()) std::memcpy(m->payload() + sizeof header, o.described.data(), o.described.size());
  if (o.kind == Kind::withdraw) egress_.keep_behind_messages(o.to);
  egress_.send(o.to, m, o.bytes, cost);
}

AwaitedResult* Windows::expect(const Operation& o, Store store) {
  held_ += o.answers;
  AwaitedResult result{++asked_, o.window, o.to, std::move(store), egress_.operations(), nullptr, o.answers};
  Results& all = awaited_[{o.window, o.to}];
  return &all.emplace_hint(all.end(), asked_, std::move(result))->second;
}

void Windows::send(const Operation& operation) { post(operation, 0); }

AwaitedResult* Windows::ask(const Operation& operation, Store store) {
  AwaitedResult* const result = expect(operation, std::move(store));
  post(operation, result->number);
  return result;
}

// Null: the result has been given up.
AwaitedResult* Windows::awaited_by(const Message& m) {
  const auto of = awaited_.find({m.envelope.context, m.envelope.source});
  if (of == awaited_.end()) return nullptr;
  const auto result = of->second.find(m.sender_request);
  return result == of->second.end() ? nullptr : &result->second;
}

void Windows::erase(Awaited::iterator of, Results::iterator result) {
  held_ -= result->second.held;
  of->second.erase(result);
  if (of->second.empty()) awaited_.erase(of);
}

void Windows::give_up(const AwaitedResult* result) {
  const auto of = awaited_.find({result->window, result->from});
  erase(of, of->second.find(result->number));
}

bool Windows::is_here(const AwaitedResult* result) const {
  return std::any_of(answers_.begin(), answers_.end(), [result](const Message* m) {
    return m->envelope.source == result->from && m->envelope.context == result->window &&
           m->sender_request == result->number;
  });
}

Request* Windows::request(const Operation& operation, Store store) {
  AwaitedResult* const result = expect(operation, std::move(store));
  OneSided* const r = result->request = pool_.take<OneSided>();
  r->result = result;
  r->prompt = true;
  r->peer = operation.to;
  post(operation, result->number);
  return r;
}

int Windows::awaited(match::Context window, int from) const {
  if (from >= 0) {
    const auto it = awaited_.find({window, from});
    return it == awaited_.end() ? 0 : static_cast<int>(it->second.size());
  }
  std::size_t all = 0;
  for (auto it = awaited_.lower_bound({window, 0}); it != awaited_.end() && it->first.first == window; ++it)
    all += it->second.size();
  return static_cast<int>(all);
}

int Windows::first_awaited(match::Context window, int from) const {
  if (from >= 0) return from;
  const auto it = awaited_.lower_bound({window, 0});
  return it != awaited_.end() && it->first.first == window ? it->first.second : match::Waiting::nobody;
}

// --- failures

Event Windows::failure(Protocol& protocol, match::Context window, int from, Instant entered) const {
  Event least;
  const auto consider = [&](int rank) {
    const Event e = core_.failures.event_after_all_messages(protocol, rank, entered);
    if (e.before(least)) least = e;
  };
  if (from >= 0) {
    consider(from);
    return least;
  }
  for (auto it = awaited_.lower_bound({window, 0}); it != awaited_.end() && it->first.first == window; ++it)
    consider(it->first.second);
  return least;
}

void Windows::forget(match::Context window, int from) {
  const auto it = awaited_.find({window, from});
  if (it == awaited_.end()) return;
  for (const auto& [number, result] : it->second) {
    held_ -= result.held;
    OneSided* const r = result.request;
    if (!r) continue;
    r->result = nullptr;
    r->finish();
    r->status = Status{.failed = from};
    if (r->freed) pool_.put_back(r);
  }
  awaited_.erase(it);
}

// --- arrivals

void Windows::arrived(Message* operation) { pending_.insert(operation); }

void Windows::answered(Message* answer) {
  answers_.insert(answer);
  if (answer->envelope.bytes > 0) full_.insert(answer);
}

// --- long results

std::vector<int> Windows::awaited_from() const {
  std::vector<int> ranks;
  for (const auto& [whom, answers] : awaited_) ranks.push_back(whom.second);
  return ranks;
}

// A message without data replaces the result: it is handled in key order, later.
void Windows::unload() {
  for (Message* const m : full_) {
    AwaitedResult* const result = awaited_by(*m);
    if (!result || result->held == 0) continue;
    if (result->store) result->store(m->payload());
    result->store = nullptr;
    held_ -= std::exchange(result->held, 0);
    Message* const rest = core_.transport.allocate(0);
    rest->take_over(*m);
    answers_.erase(m);
    answers_.insert(rest);
    core_.transport.release(m);
  }
  full_.clear();
  crowd_ = std::max(roomy, 2 * held_);
}

// --- events

Instant Windows::pending() const {
  const Instant operation = pending_.empty() ? Instant::never() : (*pending_.begin())->ready();
  const int lost = core_.failures.noticed() ? first_to_be_lost() : -1;
  return lost < 0 ? operation : std::min(operation, core_.failures.known(lost));
}

void Windows::offer_loss(Event& least) {
  const int lost = first_to_be_lost();
  if (lost < 0) return;
  const Event e = core_.failures.event(*this, lost, Instant::start());
  if (e.before(least)) least = e;
}

// The effect costs this rank nothing and does not depend on its other events.
void Windows::offer_operation(Event& least) {
  if (core_.failures.noticed()) offer_loss(least);
  if (pending_.empty()) return;
  Message* const m = *pending_.begin();
  const Event e{.protocol = this, .key = m->turn(), .at = m->ready(), .free = true, .message = m};
  if (e.before(least)) least = e;
}

void Windows::offer_answer(Event& least) {
  Message* const m = *answers_.begin();
  const Event e{.protocol = this, .key = m->turn(), .at = m->ready(), .message = m};
  if (e.before(least)) least = e;
}

// On the path of every call that waits; usually there is nothing to offer.
[[gnu::hot]] void Windows::offer(Event& least) {
  if (core_.failures.noticed() || !pending_.empty()) offer_operation(least);
  if (!answers_.empty()) offer_answer(least);
}

// An operation of any rank may precede another operation. An event of this rank itself may only be preceded by
// results: the call may be waiting for them.
[[gnu::hot]] void Windows::add_sources(const Event& next, SourceList& sources) const {
  if (sources.everyone) return;
  if (next.protocol == this && (!next.message || next.message->kind == Message::Kind::operation)) {
    sources.everyone = true;
    return;
  }
  for (const auto& [whom, count] : awaited_) sources.named.push_back(whom.second);
}

void Windows::handle(const Event& event) {
  if (!event.message) return give_back(event.failed);
  if (event.message->kind == Message::Kind::result) return finish(event.message);
  pending_.erase(event.message);
  take_effect(event.message);
}

// --- the server

void Windows::take_effect(Message* m) {
  const Header header = header_of<Header>(*m);
  const auto it = windows_.find(header.window);
  if (it == windows_.end()) return core_.transport.release(m);  // freed before its operations were over
  Server& server = it->second;
  const int origin = m->envelope.source;
  if (header.kind != Kind::withdraw && m->ready() > core_.failures.known(origin))
    return core_.transport.release(m);
  if (const auto behind = server.behind.find(origin); behind != server.behind.end()) {
    behind->second.push_back(m);
    return;
  }
  if ((header.kind == Kind::lock || header.locks) && !server.holders.contains(origin)) {
    const bool exclusive = header.kind == Kind::lock && header.exclusive;
    const bool shared = server.holders.empty() || (!exclusive && !server.holders.begin()->second);
    if (!shared || !server.waiting.empty()) {
      server.waiting.push_back(origin);
      server.behind[origin].push_back(m);
      return;
    }
    server.holders[origin] = exclusive;
  }
  act(server, m);
}

void Windows::act(Server& server, Message* m) {
  const Header header = header_of<Header>(*m);
  if (header.answer)
    answer(m, header, server);
  else if (applies(header.kind))
    server.memory->apply(
        {m->payload() + sizeof header, static_cast<std::size_t>(m->envelope.bytes) - sizeof header}, nullptr);
  if (header.kind == Kind::unlock) release(server, m->envelope.source, m->ready(), m->path);
  core_.transport.release(m);
}

void Windows::answer(Message* m, const Header& header, Server& server) {
  Message* const answer = core_.transport.allocate(header.answers);
  answer->kind = Message::Kind::result;
  answer->envelope = {header.window, core_.number, 0, header.answers};
  answer->sender_request = header.answer;
  if (applies(header.kind))
    server.memory->apply(
        {m->payload() + sizeof header, static_cast<std::size_t>(m->envelope.bytes) - sizeof header},
        answer->payload());
  egress_.answer(m->envelope.source, answer, *m, header.kind == Kind::withdraw);
}

// Grants the lock to the waiting origins that can have it together, at the instant of the
// unlock, `at`, with path `way`. The operations that they sent meanwhile take effect then.
void Windows::release(Server& server, int origin, Instant at, const record::Path& way) {
  server.holders.erase(origin);
  while (!server.waiting.empty()) {
    const int next = server.waiting.front();
    auto behind = server.behind.find(next);
    const Header header = header_of<Header>(*behind->second.front());
    const bool exclusive = header.kind == Kind::lock && header.exclusive;
    if (!server.holders.empty() && (exclusive || server.holders.begin()->second)) return;
    server.holders[next] = exclusive;
    server.waiting.pop_front();
    for (Message* m : behind->second) {
      if (m->ready() < at) m->hold_until(at, way);
      pending_.insert(m);
    }
    server.behind.erase(behind);
  }
}

// --- failed origins

// Of the origins that have or await a lock here: the one whose failure is known first; -1: none fails.
int Windows::first_to_be_lost() const {
  int first = -1;
  const auto consider = [&](int origin) {
    const Instant known = core_.failures.known(origin);
    if (known.is_never()) return;
    if (first < 0 || std::pair(known, origin) < std::pair(core_.failures.known(first), first)) first = origin;
  };
  for (const auto& [name, server] : windows_) {
    for (const auto& [origin, exclusive] : server.holders) consider(origin);
    for (const int origin : server.waiting) consider(origin);
  }
  return first;
}

// The failure of the origin is known now: its locks are released, and its lock requests are removed.
void Windows::give_back(int origin) {
  record::Path way = core_.failures.path(origin);
  way.hop = record::Hop::failure_of(origin);
  for (auto& [name, server] : windows_) {
    if (const auto behind = server.behind.extract(origin); !behind.empty()) {
      for (Message* m : behind.mapped()) core_.transport.release(m);
      std::erase(server.waiting, origin);
    }
    release(server, origin, core_.failures.known(origin), way);
  }
}

// --- results

void Windows::finish(Message* m) {
  answers_.erase(m);
  full_.erase(m);
  const auto of = awaited_.find({m->envelope.context, m->envelope.source});
  if (of == awaited_.end()) return core_.transport.release(m);  // given up
  const auto found = of->second.find(m->sender_request);
  if (found == of->second.end()) return core_.transport.release(m);
  const AwaitedResult& result = found->second;
  core_.clock.wait_until(m->ready(), m->path);
  if (core_.recorder) record_answered(core_, *m, result.operation);
  if (result.store) result.store(m->payload());
  core_.transport.release(m);
  OneSided* const r = result.request;
  erase(of, found);
  if (!r) return;
  r->result = nullptr;
  r->finish();
  if (r->freed) pool_.put_back(r);
}

void AnswersGoal::offer(Event& least) {
  if (!core_.failures.noticed()) return;
  const Event failure = windows_.failure(*this, window_, from_, entered_);
  if (failure.before(least)) least = failure;
}

void AnswersGoal::handle(const Event& event) {
  notice_failure(core_, event);
  failed_ = event.failed;
  windows_.forget(window_, failed_);
}

void AnswersGoal::describe(match::Waiting& waiting) const {
  waiting.peer = windows_.first_awaited(window_, from_);
  waiting.requests = windows_.awaited(window_, from_);
}

}  // namespace emu::rank
