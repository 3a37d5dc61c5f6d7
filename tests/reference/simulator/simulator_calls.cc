// Calls that wait, test and probe.
#include <algorithm>

#include "reference/simulator/simulator.h"

namespace emu::reference {
namespace {

// A polling loop with more consecutive false answers is either endless or takes too long for a test.
constexpr std::int64_t most_polls = 1500;
// So is one whose growing costs have come to this time.
constexpr auto longest_polling = Interval::picoseconds(1'000'000'000'000'000);

int place(const Members& members, int world) {
  return static_cast<int>(std::find(members.world.begin(), members.world.end(), world) -
                          members.world.begin());
}

}  // namespace

// The requests of the current call, without null requests.
Simulator::Requests Simulator::wanted(int rank) const {
  const Rank& r = ranks_[static_cast<std::size_t>(rank)];
  if (r.steps.front().kind == Step::Kind::wait) return r.started;
  Requests set;
  if (operation(rank).action == Action::detach)
    for (std::size_t i = 0; i < r.requests.size(); ++i)
      if (r.requests[i].background && r.requests[i].out.mode == Mode::buffered)
        set.push_back(static_cast<int>(i));
  for (int slot : operation(rank).slots) {
    const int request = r.slots[static_cast<std::size_t>(slot)];
    if (request >= 0) set.push_back(request);
  }
  return set;
}

bool Simulator::over(int rank, int request) const {
  const Request& q = ranks_[static_cast<std::size_t>(rank)].requests[static_cast<std::size_t>(request)];
  return (q.complete && !(q.background && operation(rank).action == Action::detach)) || q.doubt;
}

bool Simulator::satisfied(int rank) const {
  const Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const Requests set = wanted(rank);
  const auto complete = [&](int request) { return over(rank, request); };
  const Action action = operation(rank).action;
  const bool any = r.steps.front().kind == Step::Kind::call &&
                   (action == Action::wait_any || action == Action::wait_some ||
                    (is_test(action) && action != Action::test_all));
  if (any && !set.empty()) return std::any_of(set.begin(), set.end(), complete);
  return std::all_of(set.begin(), set.end(), complete);
}

// Handles the least event up to `until`; false if there is none. Failures are events only for calls that wait for
// requests, and for operations in the background.
bool Simulator::handle_least(int rank, Instant until, const Requests* wanted, int* completed) {
  if (ranks_[static_cast<std::size_t>(rank)].failed) return false;
  settle(rank, until);
  const int event = least_event(rank, until, wanted);
  const auto& messages = ranks_[static_cast<std::size_t>(rank)].mailbox.messages();
  const auto f = failure(rank, wanted != nullptr);
  if (f && f->at <= until && (event < 0 || messages[static_cast<std::size_t>(event)].ready() > f->at)) {
    handle(rank, *f);
    if (completed) *completed = f->request;
    return true;
  }
  if (event < 0) return false;
  const int request = handle(rank, event);
  if (completed) *completed = request;
  return true;
}

void Simulator::sweep(int rank, Instant until, const Requests* wanted) {
  while (handle_least(rank, until, wanted)) {
  }
}

// Handles one event at a time, so that ranks with earlier clocks can act in between.
bool Simulator::wait(int rank, Instant now) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const bool call = r.steps.front().kind == Step::Kind::call;
  const Requests set = wanted(rank);
  const Instant begun = std::max(r.clock, now);
  if (!satisfied(rank)) {
    int completed = -1;
    if (!handle_least(rank, now, &set, &completed)) return false;  // a choice for other requests
    coverage_.progressed += completed < 0 || std::find(set.begin(), set.end(), completed) == set.end();
    if (r.steps.empty()) return true;  // a broken collective
    if (!satisfied(rank)) return false;
  }
  if (call) {
    ++coverage_.waits;
    if (operation(rank).action == Action::wait_some && !set.empty()) sweep(rank, begun, &set);
    if (operation(rank).action != Action::detach) report_slots(rank);
  } else {
    r.agrees ? end_talk(rank) : end_wait(rank);
  }
  return true;
}

// Ends a wait for requests that the program does not see.
void Simulator::end_wait(int rank) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  bool failed = false;
  for (int request : r.started) {
    Request& q = r.requests[static_cast<std::size_t>(request)];
    if (q.doubt) fail(rank, request);
    failed = failed || q.failed;
  }
  if (failed && r.part.by_pairs && r.part.leads) {
    r.told = true;
  } else if (failed) {
    break_off(rank);
  } else {
    for (int request : r.started) report(rank, request);
    r.told =
        r.told || std::any_of(r.started.begin(), r.started.end(), [&](int request) {
          const Request& q = r.requests[static_cast<std::size_t>(request)];
          if (!q.receive || q.posted < 0) return false;
          const int message = r.mailbox.receives()[static_cast<std::size_t>(q.posted)].message;
          return message >= 0 && r.mailbox.messages()[static_cast<std::size_t>(message)].number == marked;
        });
  }
  r.started.clear();
}

bool Simulator::test(int rank, Instant now) {
  ++coverage_.tests;
  const Requests set = wanted(rank);
  const bool answer =
      operation(rank).action == Action::test_all ? test_all(rank, now, set) : test_once(rank, now, set);
  if (!answer) return answer_false(rank);
  ranks_[static_cast<std::size_t>(rank)].outcome.answer = true;
  if (operation(rank).action != Action::arrived) report_slots(rank);
  return true;
}

// Test, testany and testsome.
bool Simulator::test_once(int rank, Instant now, const Requests& set) {
  const bool some = operation(rank).action == Action::test_some;
  if (satisfied(rank) && (!some || set.empty())) return true;
  while (handle_least(rank, now, &set))
    if (!some && satisfied(rank)) return true;
  return satisfied(rank);
}

bool Simulator::test_all(int rank, Instant now, const Requests& set) {
  if (satisfied(rank)) return true;
  sweep(rank, now, nullptr);
  const Rank& r = ranks_[static_cast<std::size_t>(rank)];
  std::size_t ready = 0, incomplete = 0;
  for (const Message& m : r.mailbox.messages()) {
    // An event up to now that remains completes a receive.
    ready += is_event(rank, m, &set) && m.ready() <= now;
  }
  for (int request : set) {
    incomplete += !over(rank, request);
    const auto f = failure_of(rank, request, *r.entry);
    ready += f && f->at <= now;
  }
  if (ready < incomplete) return false;
  sweep(rank, now, &set);
  return true;
}

bool Simulator::answer_false(int rank) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  if (!r.idle_since) r.idle_since = r.clock;
  const Interval cost = costs_.poll(r.clock - *r.idle_since);
  coverage_.grown += cost > costs_.poll();
  charge(rank, &record::Breakdown::poll, cost);
  ++coverage_.false_polls;
  r.outcome.answer = false;
  endless_ = endless_ || ++r.outcome.polls > most_polls || r.clock - *r.idle_since > longest_polling;
  return !operation(rank).until;
}

Instant Simulator::sleeps_until(int rank) const {
  const Rank& r = ranks_[static_cast<std::size_t>(rank)];
  return *r.entry + Interval::picoseconds(operation(rank).picoseconds);
}

// The end of the sleep follows all messages of its instant.
bool Simulator::sleep(int rank, Instant now) {
  const Instant end = sleeps_until(rank);
  if (handle_least(rank, std::min(now, end), nullptr)) return false;
  if (now < end) return false;
  wait_until(rank, end);
  return true;
}

match::Filter Simulator::probe_filter(int rank) const {
  const Step& step = ranks_[static_cast<std::size_t>(rank)].steps.front();
  if (step.kind == Step::Kind::seek) return {step.context, step.in.from, step.in.tag};
  const Operation o = resolved(rank);
  const Members& members = communicator(rank).members;
  return {members.context, o.in.from < 0 ? o.in.from : members.world[static_cast<std::size_t>(o.in.from)],
          o.in.tag};
}

bool Simulator::probe(int rank, Instant now) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const bool seeks = r.steps.front().kind == Step::Kind::seek;
  const bool blocking = seeks || operation(rank).action == Action::probe;
  if (blocking) {
    serve(rank, end_of(r.clock));
  } else {
    ++coverage_.iprobes;
    sweep(rank, now, nullptr);
  }
  const auto& messages = r.mailbox.messages();
  int candidate = r.mailbox.candidate(probe_filter(rank), now);
  for (int before = -1; candidate >= 0 && candidate != before;) {
    before = candidate;
    serve(rank, messages[static_cast<std::size_t>(candidate)].turn());
    candidate = r.mailbox.candidate(probe_filter(rank), now);
  }
  const int event = least_event(rank, now, nullptr);
  const auto before = [&](Instant instant, int message) {
    return message < 0 || instant < messages[static_cast<std::size_t>(message)].ready();
  };
  const auto f = failure(rank);
  if (f && f->at <= now && before(f->at, event) && before(f->at, candidate)) {
    handle(rank, *f);
    if (f->background >= 0 || f->request >= 0) return false;
    r.outcome.answer = true;
    return true;
  }
  if (event >= 0 && (candidate < 0 || messages[static_cast<std::size_t>(event)].turn() <
                                          messages[static_cast<std::size_t>(candidate)].turn())) {
    handle(rank, event);
    ++coverage_.progressed;
    return false;
  }
  if (candidate < 0) return blocking ? false : answer_false(rank);
  coverage_.probes += blocking && !seeks;
  r.outcome.answer = true;
  const Message& m = messages[static_cast<std::size_t>(candidate)];
  wait_until(rank, m.ready());
  seeks ? receive_sought(rank, m) : found(rank, candidate);
  return true;
}

// The present step, which is over, remains the first one. The receive is a collective operation: a failure of any member
// breaks it.
void Simulator::receive_sought(int rank, const Message& m) {
  std::deque<Step>& steps = ranks_[static_cast<std::size_t>(rank)].steps;
  const Step post{.kind = Step::Kind::post,
                  .context = m.envelope.context,
                  .in = {.from = m.envelope.source, .tag = m.envelope.tag}};
  const Step begin{.kind = Step::Kind::begin, .group = communicator(rank).members.world};
  steps.insert(steps.begin() + 1, {begin, post, {.kind = Step::Kind::wait}});
}

void Simulator::found(int rank, int message) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const Operation& o = operation(rank);
  const Message m = r.mailbox.messages()[static_cast<std::size_t>(message)];
  const int source = place(communicator(rank).members, m.envelope.source);
  r.outcome.completions.push_back({-1, source, m.envelope.tag, m.envelope.bytes, -1});
  if (o.matched) {
    ++coverage_.matched;
    const int receive = r.mailbox.take(message);
    if (!o.take) {
      r.found[static_cast<std::size_t>(o.slot)] = receive;
      return;
    }
    r.started.push_back(receive_taken(rank, receive, -1));
    r.steps.push_back({.kind = Step::Kind::wait});
    return;
  }
  if (!o.take) return;
  r.steps.push_back({.kind = Step::Kind::post,
                     .context = m.envelope.context,
                     .in = {.from = m.envelope.source, .tag = m.envelope.tag}});
  r.steps.push_back({.kind = Step::Kind::wait});
}

int Simulator::receive_taken(int rank, int receive, int slot) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const int index = static_cast<int>(r.requests.size());
  const Receive& taken = r.mailbox.receives()[static_cast<std::size_t>(receive)];
  coverage_.matched_late += &taken != &r.mailbox.receives().back();
  r.requests.push_back({.receive = true, .slot = slot, .context = taken.filter.context, .posted = receive});
  if (slot >= 0) r.slots[static_cast<std::size_t>(slot)] = index;
  r.mailbox.receive_taken(receive, index);
  return index;
}

void Simulator::report(int rank, int request) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const Request& q = r.requests[static_cast<std::size_t>(request)];
  if (!r.group.empty() || is_collective(operation(rank).action) || (!q.receive && q.slot < 0)) return;
  Completion c{.slot = q.slot};
  c.error = q.doubt ? Error::pending : q.failed ? Error::failed : Error::none;
  c.cancelled = q.cancelled;
  if (q.posted >= 0 && !q.cancelled && c.error == Error::none) {
    const Receive& receive = r.mailbox.receives()[static_cast<std::size_t>(q.posted)];
    const Message& m = r.mailbox.messages()[static_cast<std::size_t>(receive.message)];
    c.source = place(communicator_of(rank, q.context).members, m.envelope.source);
    c.tag = m.envelope.tag;
    c.bytes = m.envelope.bytes;
    c.identity = identity(m.number, m.envelope.bytes);
  }
  r.outcome.completions.push_back(c);
  if (q.slot < 0 || q.doubt) return;
  r.slots[static_cast<std::size_t>(q.slot)] = -1;
  r.idle[static_cast<std::size_t>(q.slot)] = q.persistent;
}

void Simulator::count_mixture(int rank) {
  const Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const Operation& o = operation(rank);
  static const std::vector<Action> calls = {Action::wait_any, Action::wait_some, Action::test_any,
                                            Action::test_some};
  if (std::find(calls.begin(), calls.end(), o.action) == calls.end()) return;
  bool active = false, idle = false, null = false;
  for (const int slot : o.slots) {
    const auto at = static_cast<std::size_t>(slot);
    (r.slots[at] >= 0 ? active : r.idle[at] ? idle : null) = true;
  }
  coverage_.mixtures += active && idle && null;
}

// The result of a completion call: all its complete requests in the given order; calls for any one return the
// first.
void Simulator::report_slots(int rank) {
  const Action action = operation(rank).action;
  count_mixture(rank);
  for (int request : wanted(rank)) {
    if (!over(rank, request)) continue;
    report(rank, request);
    if (action == Action::wait_any || action == Action::test_any) return;
  }
}

}  // namespace emu::reference
