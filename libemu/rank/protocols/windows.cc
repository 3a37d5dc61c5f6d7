#include "rank/protocols/windows.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "rank/recorded.h"

namespace emu::rank {

using match::Message;

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
  const OperationHeader header{o.window, answer, o.answers, o.kind, o.exclusive, o.locks};
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

Event Windows::ending(Protocol& protocol, OneSided* request, Instant entered) const {
  Event e = core_.failures.event_after_all_messages(protocol, request->peer, entered);
  e.request = request;
  return e;
}

void Windows::fail(OneSided* r, int failed) {
  give_up(std::exchange(r->result, nullptr));
  r->finish();
  r->status = Status{.failed = failed};
  if (r->freed) pool_.put_back(r);
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
  budget_ = std::max(roomy, 2 * held_);
}

// --- events

void Windows::offer_answer(Event& least) {
  Message* const m = *answers_.begin();
  const Event e{.protocol = this, .key = m->key(), .at = m->ready(), .message = m};
  if (e.before(least)) least = e;
}

// On the path of every call that waits; usually there is nothing to offer.
[[gnu::hot]] void Windows::offer(Event& least) {
  if (!answers_.empty()) offer_answer(least);
}

// The call may be waiting for results. They do not precede operations, which take effect whatever this rank does.
[[gnu::hot]] void Windows::add_sources(const Event&, SourceList& sources) const {
  if (sources.everyone || awaited_.empty()) return;
  for (const auto& [whom, count] : awaited_) sources.named.push_back(whom.second);
}

void Windows::handle(const Event& event) { finish(event.message); }

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
