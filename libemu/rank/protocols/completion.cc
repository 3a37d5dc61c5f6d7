#include "rank/protocols/completion.h"

#include <algorithm>

namespace emu::rank {

// --- waiting

[[gnu::hot]] void Completion::wait_all(Requests requests) {
  RequestsGoal goal(core_, operations_, requests);
  wait(goal, [&] { return goal.all_over(); });
}

int Completion::wait_any(Requests requests) {
  if (none_active(requests)) return -1;
  RequestsGoal goal(core_, operations_, requests);
  wait(goal, [&] { return goal.any_over(); });
  return first_over(requests);
}

void Completion::wait_some(Requests requests) {
  if (none_active(requests)) return;
  RequestsGoal goal(core_, operations_, requests);
  Instant now = core_.clock.now();
  while (!goal.any_over()) {
    const Event event = *scheduler_.next(goal);
    now = std::max(core_.clock.now(), event.at);
    core_.handle(event);
  }
  sweep(goal, now, false);
}

std::optional<Status> Completion::found(const ProbeGoal& goal, const Event& event, match::Message** taken) {
  const std::optional<Status> status = goal.found(event);
  if (status && taken && (*taken = goal.message(event))) {
    core_.polling.interrupted();
    queue_.take(*taken);
  }
  return status;
}

Status Completion::probe(const Communicator& comm, int from, int tag, match::Message** taken) {
  if (from == proc_null) return Status{proc_null, match::any_tag, 0, false};
  ProbeGoal goal(core_, queue_, comm, from, tag);
  std::optional<Status> found;
  while (!found) {
    // Events that the probe handles may move the clock beyond the cancellation of a message that was there.
    settle(comm, from);
    const Event event = *scheduler_.next(goal);
    core_.handle(event);
    found = this->found(goal, event, taken);
  }
  return *found;
}

void Completion::settle_with(const Communicator& comm, int from) {
  const bool anyone = from == match::any_source;
  const int source = anyone ? 0 : comm.world[from];
  scheduler_.settle({anyone, std::span(&source, anyone ? 0 : 1)});
}

// --- testing

// The polling for an own request begins with its first test; for other events it begins with the first false answer.
[[gnu::hot]] void Completion::handle_found(const Goal& goal, const Event& event) {
  const Polling& polling = core_.polling;
  if (!polling.looking()) return core_.handle(event);
  const bool own = event.protocol == &goal && event.request;
  handle_polled(event, own ? polling.looked_for(*event.request) : polling.looked());
}

void Completion::handle_polled(const Event& event, Instant look) {
  const Interval usual = core_.network.poll();
  core_.clock.polled(core_.polling.since(look, cost_of_poll() == usual ? usual : Interval()));
  core_.handle(event);
  core_.clock.polled({});
}

// Handles the events up to `now`. Returns true if a request of the goal is over.
bool Completion::sweep(RequestsGoal& goal, Instant now, bool stop_at_completion) {
  bool found = false;
  while (const auto event = scheduler_.next(goal, now)) {
    handle_found(goal, *event);
    found = found || goal.any_over();
    if (found && stop_at_completion) break;
  }
  return found;
}

void Completion::handle_up_to(Goal& goal, Instant now) {
  while (const auto event = scheduler_.next(goal, now)) handle_found(goal, *event);
}

[[gnu::hot]] void Completion::charge_poll(Interval cost) {
  core_.polling.answered();
  core_.clock.poll(cost, cost == core_.network.poll());
  if (core_.recorder) core_.recorder->polled(core_.clock.now());
}

// `attempt(now)` tests once, at the clock.
template <class TheGoal, class Attempt>
[[gnu::hot]] bool Completion::poll(TheGoal& goal, Attempt attempt) {
  constexpr std::int64_t furthest = 1 << 20;  // polls
  const Instant now = core_.clock.now();
  if (core_.polling.known_false(goal.question(), now)) {
    if (!core_.polling.looking()) core_.polling.looked(goal.question(), core_.clock);
    charge_false_answer();
    return false;
  }
  if (attempt(now)) return true;
  core_.polling.looked(goal.question(), core_.clock);
  charge_false_answer();
  if (!core_.polling.failed()) return false;
  const Instant after = core_.clock.now();
  const auto until = scheduler_.nothing_until(goal, after + core_.network.poll().times(furthest));
  if (until && *until >= after) core_.polling.learn(goal.question(), *until);
  return false;
}

bool Completion::test_any(Requests requests, int& index) {
  RequestsGoal goal(core_, operations_, requests);
  index = first_over(requests);
  if (index >= 0 || none_active(requests)) return true;
  const bool found = poll(goal, [&](Instant now) { return sweep(goal, now, true); });
  index = first_over(requests);
  return found;
}

namespace {

// The test that precedes a cancel. A receive in doubt (E5) is cancelled: the wait for it must end.
class CancelGoal final : public RequestsGoal {
 public:
  using RequestsGoal::RequestsGoal;

  void offer(Event& least) override {
    Event end;
    RequestsGoal::offer(end);
    if (!end.doubt && end.before(least)) least = end;
  }
};

}  // namespace

// Goals of other threads may have matched another message.
void Completion::cancel(Request* request) {
  CancelGoal goal(core_, operations_, {&request, 1});
  if (request->complete() || poll(goal, [&](Instant now) { return sweep(goal, now, true); })) return;
  operations_.cancel(request);
  scheduler_.call_others();
}

bool Completion::test_some(Requests requests) {
  if (none_active(requests)) return true;
  RequestsGoal goal(core_, operations_, requests);
  if (first_over(requests) >= 0) {
    sweep(goal, core_.clock.now(), false);
    return true;
  }
  return poll(goal, [&](Instant now) { return sweep(goal, now, false); });
}

bool Completion::test_all(Requests requests) {
  RequestsGoal goal(core_, operations_, requests, true);
  if (all_over(requests)) return true;
  return poll(goal, [&](Instant now) {
    RequestsGoal nothing(core_, operations_, {});
    handle_up_to(nothing, now);
    handle_up_to(goal, now);
    return all_over(requests);
  });
}

std::optional<Status> Completion::iprobe(const Communicator& comm, int from, int tag,
                                         match::Message** taken) {
  if (from == proc_null) return Status{proc_null, match::any_tag, 0, false};
  settle(comm, from);
  ProbeGoal goal(core_, queue_, comm, from, tag);
  std::optional<Status> found;
  poll(goal, [&](Instant now) {
    RequestsGoal nothing(core_, operations_, {});
    handle_up_to(nothing, now);
    auto event = scheduler_.next(goal, now);
    while (event && Scheduler::nothing(*event)) event = scheduler_.next(goal, now);
    if (!event) return false;
    const Instant look = core_.polling.looked_for(goal.filter());
    if (event->protocol == &goal && event->at > look) handle_polled(*event, look);
    found = this->found(goal, *event, taken);
    return found.has_value();
  });
  return found;
}

}  // namespace emu::rank
