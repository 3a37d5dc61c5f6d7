// Waiting, testing and probing: rank/semantics.md, "Events and the calls that handle them".

#include "rank/rank.h"

namespace emu::rank {

namespace {

int first_over(Rank::Requests requests) {
  for (std::size_t i = 0; i < requests.size(); ++i)
    if (requests[i] && requests[i]->over()) return static_cast<int>(i);
  return -1;
}

bool all_over(Rank::Requests requests) {
  for (const Request* r : requests)
    if (r && !r->over()) return false;
  return true;
}

bool none_active(Rank::Requests requests) {
  for (const Request* r : requests)
    if (r) return false;
  return true;
}

}  // namespace

void Rank::begin_waiting(Requests requests) {
  entered_ = clock_.now();
  if (!failures_.noticed()) return;
  met_ = -1;
  for (Request* r : requests)
    if (r) r->doubt = -1;
}

[[gnu::hot]] void Rank::wait_all(const Goal& goal) {
  begin_waiting(goal.requests);
  while (!all_over(goal.requests) && met_ < 0) handle(*next_event(goal, Instant::never()));
}

int Rank::wait_any(Requests requests) {
  if (none_active(requests)) return -1;
  begin_waiting(requests);
  const Goal goal = waiting_for(requests);
  while (first_over(requests) < 0) handle(*next_event(goal, Instant::never()));
  return first_over(requests);
}

void Rank::wait_some(Requests requests) {
  if (none_active(requests)) return;
  begin_waiting(requests);
  const Goal goal = waiting_for(requests);
  Instant now = clock_.now();
  while (first_over(requests) < 0) {
    const Event event = *next_event(goal, Instant::never());
    now = std::max(clock_.now(), event.ready());
    handle(event);
  }
  sweep(goal, now, false);
}

// Handles what has arrived by `now`. True if something in the goal is over.
bool Rank::sweep(const Goal& goal, Instant now, bool stop_at_completion) {
  bool found = false;
  while (auto event = next_event(goal, now)) {
    handle(*event);
    if (first_over(goal.requests) >= 0) found = true;
    if (found && stop_at_completion) break;
  }
  return found;
}

[[gnu::hot]] void Rank::charge_poll() {
  polling_.answered();
  clock_.poll(network_.poll());
  if (recorder_) recorder_->polled(clock_.now());
}

// `attempt(now)` asks once, at the clock.
template <class Attempt>
[[gnu::hot]] bool Rank::poll(const Goal& goal, Attempt attempt) {
  if (polling_.known_false({goal.probe, goal.requests, goal.together}, clock_.now())) {
    charge_poll();
    return false;
  }
  if (attempt(clock_.now())) return true;
  charge_poll();
  if (polling_.failed()) look_ahead(goal);
  return false;
}

void Rank::look_ahead(const Goal& goal) {
  constexpr std::int64_t furthest = 1 << 20;  // polls
  const Instant now = clock_.now();
  const std::uint64_t seen = drain();
  const match::Concern who = concern(goal, Event{});
  Instant until = now + network_.poll() * furthest;
  if (!who.nobody() && !horizon_.covers(now, who)) {
    const auto certain = wire_.horizon(who, until, seen);
    if (!certain || *certain < now) return;
    horizon_.learn(*certain, who);
  }
  if (!who.nobody()) until = std::min(until, horizon_.until());
  const auto ends = [&until](Instant at) { until = std::min(until, at - Interval::picoseconds(1)); };
  if (const Event event = least_event(goal)) ends(event.key.at);
  if (const match::Queue::Pair pair = queue_.least_wildcard_pair()) ends(pair.message->turn().at);
  if (const match::Message* head = card_.next()) ends(head->arrival.at);
  if (until >= now) polling_.learn({goal.probe, goal.requests, goal.together}, until);
}

bool Rank::test_any(Requests requests, int& index) {
  begin_waiting(requests);
  index = first_over(requests);
  if (index >= 0 || none_active(requests)) return true;
  const Goal goal{requests};
  const bool found = poll(goal, [&](Instant now) { return sweep(goal, now, true); });
  index = first_over(requests);
  return found;
}

bool Rank::test_some(Requests requests) {
  if (none_active(requests)) return true;
  begin_waiting(requests);
  const Goal goal{requests};
  if (first_over(requests) >= 0) {
    sweep(goal, clock_.now(), false);
    return true;
  }
  return poll(goal, [&](Instant now) { return sweep(goal, now, false); });
}

bool Rank::test_all(Requests requests) {
  begin_waiting(requests);
  if (all_over(requests)) return true;
  const Goal goal{requests, true};
  return poll(goal, [&](Instant now) {
    while (auto event = next_event(Goal{}, now)) handle(*event);
    while (auto event = next_event(goal, now)) handle(*event);
    return all_over(requests);
  });
}

Status Rank::probe(const Communicator& comm, int from, int tag) {
  if (from == proc_null) return Status{proc_null, match::any_tag, 0, false};
  const match::Filter filter{
      comm.context, from == match::any_source ? from : comm.world[static_cast<std::size_t>(from)], tag};
  const Goal goal{{}, false, &filter, Interval(), &comm};
  begin_waiting({});
  for (;;) {
    const Event event = *next_event(goal, Instant::never());
    handle(event);
    if (met_ >= 0) return Status{.failed = met_};
    if (event.kind == Event::Kind::candidate)
      return Status{event.message->source_in_comm, event.message->envelope.tag, event.message->envelope.bytes,
                    false};
  }
}

std::optional<Status> Rank::iprobe(const Communicator& comm, int from, int tag) {
  if (from == proc_null) return Status{proc_null, match::any_tag, 0, false};
  const match::Filter filter{
      comm.context, from == match::any_source ? from : comm.world[static_cast<std::size_t>(from)], tag};
  const Goal goal{{}, false, &filter, Interval(), &comm};
  begin_waiting({});
  std::optional<Status> found;
  poll(goal, [&](Instant now) {
    while (auto event = next_event(Goal{}, now)) handle(*event);
    const auto event = next_event(goal, now);
    if (!event) return false;
    if (event->failed >= 0) {
      found = Status{.failed = event->failed};
      return true;
    }
    const match::Message& m = *event->message;
    found = Status{m.source_in_comm, m.envelope.tag, m.envelope.bytes, false};
    return true;
  });
  return found;
}

}  // namespace emu::rank
