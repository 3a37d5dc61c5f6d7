// The calls that wait, test and probe.
#include <algorithm>

#include "reference/simulator.h"

namespace emu::reference {
namespace {

// A polling loop that gets this many false answers in a row is either endless or no good use of a test's
// time.
constexpr std::int64_t most_polls = 1500;

}  // namespace

// The requests the call at hand is given, null ones left out.
Simulator::Requests Simulator::wanted(int rank) const {
  const Rank& r = ranks_[static_cast<std::size_t>(rank)];
  if (r.steps.front().kind == Step::Kind::wait) return r.started;
  Requests set;
  for (int slot : operation(rank).slots) {
    const int request = r.slots[static_cast<std::size_t>(slot)];
    if (request >= 0) set.push_back(request);
  }
  return set;
}

bool Simulator::satisfied(int rank) const {
  const Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const Requests set = wanted(rank);
  const auto complete = [&](int request) { return r.requests[static_cast<std::size_t>(request)].complete; };
  const Action action = operation(rank).action;
  const bool any = r.steps.front().kind == Step::Kind::call &&
                   (action == Action::wait_any || action == Action::wait_some || action == Action::test_any ||
                    action == Action::test_some || action == Action::test);
  if (any && !set.empty()) return std::any_of(set.begin(), set.end(), complete);
  return std::all_of(set.begin(), set.end(), complete);
}

void Simulator::sweep(int rank, Instant until, const Requests* wanted) {
  for (int m = least_event(rank, until, wanted); m >= 0; m = least_event(rank, until, wanted))
    handle(rank, m);
}

// One event at a time, so that ranks that are behind can act in between.
bool Simulator::wait(int rank, Instant now) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const bool call = r.steps.front().kind == Step::Kind::call;
  const Requests set = wanted(rank);
  if (!satisfied(rank)) {
    const int event = least_event(rank, now, &set);
    if (event < 0) return false;  // a choice was made, but for none of these requests
    const int completed = handle(rank, event);
    coverage_.progressed += completed < 0 || std::find(set.begin(), set.end(), completed) == set.end();
    if (!satisfied(rank)) return false;
  }
  if (call) {
    ++coverage_.waits;
    if (operation(rank).action == Action::wait_some && !set.empty()) sweep(rank, now, &set);
    report_slots(rank);
  } else {
    for (int request : r.started) report(rank, request);
  }
  r.started.clear();
  return true;
}

bool Simulator::test(int rank, Instant now) {
  ++coverage_.tests;
  const Requests set = wanted(rank);
  const bool answer =
      operation(rank).action == Action::test_all ? test_all(rank, now, set) : test_once(rank, now, set);
  if (!answer) return answer_false(rank);
  ranks_[static_cast<std::size_t>(rank)].outcome.answer = true;
  report_slots(rank);
  return true;
}

// Test, testany and testsome.
bool Simulator::test_once(int rank, Instant now, const Requests& set) {
  const bool some = operation(rank).action == Action::test_some;
  if (satisfied(rank) && (!some || set.empty())) return true;
  for (int m = least_event(rank, now, &set); m >= 0; m = least_event(rank, now, &set)) {
    handle(rank, m);
    if (!some && satisfied(rank)) return true;
  }
  return satisfied(rank);
}

bool Simulator::test_all(int rank, Instant now, const Requests& set) {
  if (satisfied(rank)) return true;
  sweep(rank, now, nullptr);
  const Rank& r = ranks_[static_cast<std::size_t>(rank)];
  std::size_t ready = 0, incomplete = 0;
  for (const Message& m : r.mailbox.messages()) {
    // What is left to be an event up to now completes a receive.
    ready += is_event(rank, m, &set) && m.ready() <= now;
  }
  for (int request : set) incomplete += !r.requests[static_cast<std::size_t>(request)].complete;
  if (ready < incomplete) return false;
  sweep(rank, now, &set);
  return true;
}

bool Simulator::answer_false(int rank) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  charge(rank, &trace::Breakdown::poll, costs_.poll());
  ++coverage_.false_polls;
  r.outcome.answer = false;
  endless_ = endless_ || ++r.outcome.polls > most_polls;
  return !operation(rank).until;
}

match::Filter Simulator::probe_filter(int rank) const {
  const Operation& o = operation(rank);
  return {context_of(o.communicator), translate(o.communicator, o.in.from, static_cast<int>(ranks_.size())),
          o.in.tag};
}

bool Simulator::probe(int rank, Instant now) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const bool blocking = operation(rank).action == Action::probe;
  if (!blocking) {
    ++coverage_.iprobes;
    sweep(rank, now, nullptr);
  }
  const auto& messages = r.mailbox.messages();
  const int candidate = r.mailbox.candidate(probe_filter(rank), now);
  const int event = least_event(rank, now, nullptr);
  if (event >= 0 && (candidate < 0 || messages[static_cast<std::size_t>(event)].turn() <
                                          messages[static_cast<std::size_t>(candidate)].turn())) {
    handle(rank, event);
    ++coverage_.progressed;
    return false;
  }
  if (candidate < 0) return blocking ? false : answer_false(rank);
  coverage_.probes += blocking;
  r.outcome.answer = true;
  const Message& m = messages[static_cast<std::size_t>(candidate)];
  wait_until(rank, m.ready());
  found(rank, m);
  return true;
}

void Simulator::found(int rank, const Message& m) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const Operation& o = operation(rank);
  const int source = translate(o.communicator, m.envelope.source, static_cast<int>(ranks_.size()));
  r.outcome.completions.push_back({-1, source, m.envelope.tag, m.envelope.bytes, -1});
  if (!o.take) return;
  r.steps.push_back({.kind = Step::Kind::post,
                     .context = m.envelope.context,
                     .in = {.from = m.envelope.source, .tag = m.envelope.tag}});
  r.steps.push_back({.kind = Step::Kind::wait});
}

void Simulator::report(int rank, int request) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const Operation& o = operation(rank);
  const Request& q = r.requests[static_cast<std::size_t>(request)];
  if (is_collective(o.action) || (!q.receive && q.slot < 0)) return;
  Completion c{.slot = q.slot};
  if (q.posted >= 0) {
    const Receive& receive = r.mailbox.receives()[static_cast<std::size_t>(q.posted)];
    const Message& m = r.mailbox.messages()[static_cast<std::size_t>(receive.message)];
    const int communicator = static_cast<int>(q.context / 2);
    c.source = translate(communicator, m.envelope.source, static_cast<int>(ranks_.size()));
    c.tag = m.envelope.tag;
    c.bytes = m.envelope.bytes;
    c.identity = identity(m.number, m.envelope.bytes);
  }
  r.outcome.completions.push_back(c);
  if (q.slot >= 0) r.slots[static_cast<std::size_t>(q.slot)] = -1;
}

// What a completion call returns: all complete requests of it in the order given, of the calls for any one
// the first.
void Simulator::report_slots(int rank) {
  const Action action = operation(rank).action;
  const Rank& r = ranks_[static_cast<std::size_t>(rank)];
  for (int request : wanted(rank)) {
    if (!r.requests[static_cast<std::size_t>(request)].complete) continue;
    report(rank, request);
    if (action == Action::wait_any || action == Action::test_any) return;
  }
}

}  // namespace emu::reference
