#include "rank/goals.h"

#include "rank/recorded.h"

namespace emu::rank {

using match::Message;

// --- requests

[[gnu::hot]] RequestsGoal::RequestsGoal(Core& core, Operations& operations, Requests requests, bool together)
    : core_(core), operations_(operations), together_(together) {
  wait_for(requests);
}

[[gnu::hot]] void RequestsGoal::wait_for(Requests requests) {
  begin(requests);
  entered_ = core_.clock.now();
  if (!core_.failures.noticed()) return;
  for (Request* r : requests)
    if (r) r->doubt = -1;
}

bool RequestsGoal::all_over() {
  if (ends_) return ends_->all_over();
  while (over_ < requests_.size() && (!requests_[over_] || requests_[over_]->over())) ++over_;
  return over_ == requests_.size();
}

// Enrols the requests if there are many, and only after some events, when the cost of enrolling pays off.
bool RequestsGoal::enrol() {
  constexpr int walks = 8;
  if (++offers_ <= walks || !Ends::possible(core_)) return false;
  for (const Request* r : requests_)
    if (r && r->watch) return false;
  ends_ = std::make_unique<Ends>(core_, operations_, *this, requests_, entered_);
  return true;
}

void RequestsGoal::offer_enrolled(Event& least) {
  const Event end = together_ ? ends_->together(last_) : ends_->first();
  if (end.before(least)) least = end;
}

[[gnu::hot]] void RequestsGoal::offer(Event& least) {
  constexpr std::size_t few = 16;
  if (ends_ || (requests_.size() > few && enrol())) [[unlikely]]
    return offer_enrolled(least);
  if (together_) return offer_together(least);
  for (Request* r : requests_) {
    if (!r || r->complete()) continue;
    const Event end = operations_.ending(*this, r, entered_);
    if (end.before(least)) least = end;
  }
}

// Requests that count together do so at the last of their arrivals; then the first of them is handled first.
void RequestsGoal::offer_together(Event& least) {
  Event first;
  match::Arrival last;
  for (Request* r : requests_) {
    if (!r || r->complete()) continue;
    const Event end = operations_.ending(*this, r, entered_);
    if (!end) {
      if (r->doubt < 0) return;
      continue;
    }
    if (end.before(first)) first = end;
    if (end.key < last) continue;
    last = end.key;
    last_ = r;
  }
  first.key = last;
  first.at = last.at;
  if (first.before(least)) least = first;
}

void RequestsGoal::wait_for_last() {
  if (const auto* const receive = as<Receive>(last_)) {
    if (const Message* const m = receive->message()) core_.clock.wait_until(m->ready(), m->path);
  } else if (const auto* const timed = as<Timed>(last_)) {
    core_.clock.wait_until(timed->access.done, timed->access.path);
  }
}

[[gnu::hot]] void RequestsGoal::add_sources(const Event&, SourceList& sources) const {
  if (sources.everyone) return;
  if (ends_) [[unlikely]]
    return ends_->add_sources(sources);
  for (const Request* r : requests_)
    if (r && awaits_data(*r)) sources.named.push_back(r->peer);
}

Interval RequestsGoal::reaction() const {
  const bool prompt = core_.failures.noticed() || (ends_ ? ends_->prompt() : any_prompt(requests_));
  return prompt ? Interval() : core_.network.least_receive_overhead();
}

namespace {

void describe_request(const Request& r, match::Waiting& waiting) {
  if (const auto* const composite = as<Composite>(&r); composite && composite->goal) {
    match::Waiting within;
    composite->goal->describe(within);
    waiting.peer = within.peer;
    waiting.tag = within.tag;
    waiting.behind = within.behind;
  } else {
    waiting.peer = r.peer;
    waiting.tag = r.tag;
  }
}

}  // namespace

[[gnu::hot]] void RequestsGoal::describe(match::Waiting& waiting) const {
  if (ends_) [[unlikely]] {
    waiting.requests += ends_->left();
    if (const Request* const r = ends_->first_left()) describe_request(*r, waiting);
    return;
  }
  for (const Request* r : requests_)
    if (r && !r->complete() && ++waiting.requests == 1) describe_request(*r, waiting);
}

// --- requests of an operation that a failure breaks

void BreakableGoal::offer(Event& least) {
  RequestsGoal::offer(least);
  if (breaking_ < 0) return;
  const Event breaks = core().failures.event(*this, breaking_, entered());
  if (breaks.before(least)) least = breaks;
}

void BreakableGoal::handle(const Event& event) {
  if (event.request) return RequestsGoal::handle(event);
  notice_failure(core(), event);
  broken_ = true;
}

// --- a probe

ProbeGoal::ProbeGoal(Core& core, const match::Queue& queue, const Communicator& comm, int from, int tag)
    : core_(core),
      queue_(queue),
      comm_(comm),
      filter_{comm.context, from == match::any_source ? from : comm.world[from], tag},
      entered_(core.clock.now()) {}

void ProbeGoal::offer(Event& least) {
  Message* const m = queue_.probe(filter_);
  if (m) {
    const Event e{.protocol = this, .key = m->key(), .at = m->ready(), .unclaimed = true, .message = m};
    if (e.before(least)) least = e;
  }
  if (!core_.failures.noticed()) return;
  Event failure;
  if (filter_.source == match::any_source) {
    const int member = core_.failures.first_unacknowledged(comm_);
    if (member >= 0) failure = core_.failures.event(*this, member, entered_);
  } else if (!m) {  // a probe of one source fails if no message for it exists
    failure = core_.failures.event_after_all_messages(*this, filter_.source, entered_);
  }
  if (failure.before(least)) least = failure;
}

void ProbeGoal::add_sources(const Event& next, SourceList& sources) const {
  const bool from_anyone = filter_.source == match::any_source;
  if (!next.unclaimed) {
    if (from_anyone)
      sources.everyone = true;
    else
      sources.named.push_back(filter_.source);
  } else if (from_anyone && !sources.everyone) {
    // Later messages of the candidate's source follow the candidate, unless events of another kind may come from
    // that source.
    if (sources.named.empty()) sources.except = next.message->envelope.source;
    sources.everyone = true;
  }
}

std::optional<Status> ProbeGoal::found(const Event& event) const {
  if (event.protocol != this) return std::nullopt;
  if (event.failed >= 0) return Status{.failed = event.failed};
  const Message& m = *event.message;
  return Status{m.source_in_comm, m.envelope.tag, m.envelope.bytes, false};
}

void ProbeGoal::handle(const Event& event) {
  if (event.failed >= 0) return notice_failure(core_, event);
  core_.clock.wait_until(event.at, event.message->path);
  if (core_.recorder)
    core_.recorder->found(recorded(*event.message, event.message->arrival.source), core_.clock.now(),
                          core_.clock.path().hop, core_.clock.take_late());
}

void ProbeGoal::describe(match::Waiting& waiting) const {
  waiting.peer = filter_.source;
  waiting.tag = filter_.tag;
}

}  // namespace emu::rank
