// Failures of other ranks that a rank notices: libemu/rank/semantics.md, "Failures that are noticed".
#include <algorithm>
#include <tuple>
#include <utility>

#include "reference/simulator/simulator.h"

namespace emu::reference {

// All choices before an event E4, E5 or E6 are made, and none after it: the event finds the messages that precede its
// key.
void Simulator::settle(int rank, Instant now) {
  Mailbox& mailbox = ranks_[static_cast<std::size_t>(rank)].mailbox;
  for (Instant done = Instant::from_picoseconds(-1);;) {
    const auto f = failure(rank);
    const Instant until = f ? std::min(now, f->at) : now;
    if (until <= done) return;
    mailbox.settle(until);
    answer_operations(rank);
    done = until;
  }
}

namespace {

// The first one remains, if two of one instant are about the same rank.
template <class F>
void take_lesser(std::optional<F>& least, const std::optional<F>& other) {
  if (other && (!least || std::tie(other->at, other->of) < std::tie(least->at, least->of))) least = other;
}

}  // namespace

std::optional<Simulator::Failure> Simulator::failure(int rank, bool of_call) const {
  const Rank& r = ranks_[static_cast<std::size_t>(rank)];
  std::optional<Failure> least;
  if (costs_.notices())
    for (const Background& b : r.background) take_lesser(least, failure_behind(rank, b));
  if (of_call) take_lesser(least, failure_of_call(rank));
  return least;
}

std::optional<Simulator::Failure> Simulator::failure_of_call(int rank) const {
  const Rank& r = ranks_[static_cast<std::size_t>(rank)];
  if (r.steps.empty() || !r.entry) return std::nullopt;
  std::optional<Failure> least;
  switch (r.steps.front().kind) {
    case Step::Kind::wait:
      take_lesser(least, failure_of_members(rank, r.group, *r.entry));
      break;
    case Step::Kind::call:
      if (operation(rank).action == Action::probe || operation(rank).action == Action::iprobe)
        take_lesser(least, failure_of_probe(rank));
      break;
    case Step::Kind::seek:  // whichever failures are acknowledged
      return failure_of_members(rank, communicator(rank).members.world, *r.entry);
    case Step::Kind::cancel:
      break;
    default:
      return std::nullopt;
  }
  for (int request : wanted(rank)) take_lesser(least, failure_of(rank, request, *r.entry));
  return least;
}

std::optional<Simulator::Failure> Simulator::failure_behind(int rank, const Background& b) const {
  if (!b.entry) return std::nullopt;
  std::optional<Failure> least = failure_of_members(rank, b.group, *b.entry);
  if (least)
    least->background = static_cast<int>(&b - ranks_[static_cast<std::size_t>(rank)].background.data());
  for (int request : b.started) take_lesser(least, failure_of(rank, request, *b.entry));
  return least;
}

std::optional<Simulator::Failure> Simulator::failure_of_members(int rank, const std::vector<int>& group,
                                                                Instant entry) const {
  const int first = first_known(rank, group);
  if (first < 0) return std::nullopt;
  return Failure{.at = std::max(known(rank, first), entry), .of = first};
}

bool Simulator::broken_by_now(int rank, const std::vector<int>& group) const {
  const int first = first_known(rank, group);
  return first >= 0 && known(rank, first) <= ranks_[static_cast<std::size_t>(rank)].clock;
}

// The rank's clock may be further, but the rank has not acted on anything after the failure.
std::optional<Instant> Simulator::failure_before(int rank, Instant instant) const {
  const Rank& r = ranks_[static_cast<std::size_t>(rank)];
  if (r.failed || r.steps.empty() || !r.entry) return std::nullopt;
  const Action action = operation(rank).action;
  const bool asks = action == Action::probe || action == Action::iprobe || is_test(action);
  const Step::Kind kind = r.steps.front().kind;
  if (kind == Step::Kind::seek || (kind == Step::Kind::call && asks)) return std::nullopt;
  const auto f = failure(rank);
  if (!f || f->at >= instant) return std::nullopt;
  return f->at;
}

std::optional<Simulator::Failure> Simulator::failure_of(int rank, int request, Instant entry) const {
  const Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const Request& q = r.requests[static_cast<std::size_t>(request)];
  if (over(rank, request) && !q.doubt) return std::nullopt;
  int peer = q.destination;
  Instant from = entry;
  if (!q.receive && peer == nobody) return failure_of_exchange(rank, request, entry);
  if (q.receive) {
    const Receive& receive = r.mailbox.receives()[static_cast<std::size_t>(q.posted)];
    if (has_data(rank, q.posted)) return std::nullopt;
    peer = receive.filter.source;
    if (receive.message >= 0) {
      const Message& m = r.mailbox.messages()[static_cast<std::size_t>(receive.message)];
      peer = m.envelope.source;
      if (!m.handled && receive.filter.source == match::any_source) from = std::max(from, m.ready());
    }
  } else if (!q.awaits && has_answer(rank, request)) {
    return std::nullopt;
  }
  std::optional<Failure> f;
  if (q.awaits)
    f = failure_of_cancelled(rank, request, entry);
  else if (peer == match::any_source && r.steps.front().kind == Step::Kind::cancel)
    f = std::nullopt;
  else if (peer == match::any_source)
    f = q.doubt || q.part_of >= 0 ? std::nullopt : doubt(rank, q.context, entry);
  else if (!known(rank, peer).is_never())
    f = Failure{.at = std::max(known(rank, peer), from), .of = peer};
  if (f) f->request = request;
  return f;
}

// A request of an operation in the background. The doubt of a receive belongs to the call that waits for it.
std::optional<Simulator::Failure> Simulator::failure_of_exchange(int rank, int request, Instant entry) const {
  const Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const Request& q = r.requests[static_cast<std::size_t>(request)];
  if (q.doubt || q.posted < 0) return std::nullopt;
  const Receive& receive = r.mailbox.receives()[static_cast<std::size_t>(q.posted)];
  if (receive.filter.source != match::any_source || receive.message >= 0) return std::nullopt;
  const auto sends = [&](const Request& part) {
    return !part.receive && !part.complete && part.part_of >= 0 &&
           r.background[static_cast<std::size_t>(part.part_of)].request == request;
  };
  if (std::any_of(r.requests.begin(), r.requests.end(), sends)) return std::nullopt;
  std::optional<Failure> f = doubt(rank, q.context, entry);
  if (f) f->request = request;
  return f;
}

std::optional<Simulator::Failure> Simulator::failure_of_probe(int rank) const {
  const Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const match::Filter filter = probe_filter(rank);
  if (filter.source == match::any_source) return doubt(rank, filter.context, *r.entry);
  if (known(rank, filter.source).is_never() || !r.mailbox.next_candidate(filter).is_never())
    return std::nullopt;
  return Failure{.at = std::max(known(rank, filter.source), *r.entry), .of = filter.source};
}

std::optional<Simulator::Failure> Simulator::doubt(int rank, match::Context context, Instant entry) const {
  const Communicator& c = communicator_of(rank, context);
  std::vector<int> left;
  for (int member : c.members.world)
    if (!c.acknowledged || known(rank, member) > *c.acknowledged) left.push_back(member);
  const int first = first_known(rank, left);
  if (first < 0) return std::nullopt;
  return Failure{.at = std::max(known(rank, first), entry), .of = first, .doubt = true};
}

bool Simulator::has_data(int rank, int receive) const {
  const auto& messages = ranks_[static_cast<std::size_t>(rank)].mailbox.messages();
  return std::any_of(messages.begin(), messages.end(), [&](const Message& m) {
    return m.receive == receive && (m.kind == Message::Kind::eager || m.kind == Message::Kind::data) &&
           !m.lost && !m.undecided;
  });
}

bool Simulator::has_answer(int rank, int send) const {
  const auto& messages = ranks_[static_cast<std::size_t>(rank)].mailbox.messages();
  return std::any_of(messages.begin(), messages.end(), [&](const Message& m) {
    return m.send == send && m.kind == Message::Kind::answer && !m.lost && !m.undecided;
  });
}

int Simulator::first_known(int rank, const std::vector<int>& of) const {
  int first = -1;
  Instant least = Instant::never();
  for (int other : of) {
    if (known(rank, other).is_never() || std::pair(least, first) < std::pair(known(rank, other), other))
      continue;
    least = known(rank, other);
    first = other;
  }
  return first;
}

void Simulator::handle(int rank, const Failure& f) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const Step::Kind kind = r.steps.front().kind;
  wait_until(rank, f.at);
  if (r.failed) return;
  if (f.background >= 0) {
    ++coverage_.broken_behind;
    break_background(rank, f.background);
  } else if (f.request >= 0) {
    Request& q = r.requests[static_cast<std::size_t>(f.request)];
    if (q.awaits && !costs_.notices()) return end_unanswered(rank, f.request);
    coverage_.unanswered += q.awaits;
    coverage_.failed_parts += q.part_of >= 0;
    coverage_.failed_in_parts += q.in_parts;
    coverage_.failed_taken +=
        q.receive && !f.doubt && r.mailbox.receives()[static_cast<std::size_t>(q.posted)].taken;
    coverage_.doubtful_exchanges += f.doubt && !q.receive;
    ++(f.doubt ? coverage_.doubts : q.receive ? coverage_.failed_receives : coverage_.failed_sends);
    if (f.doubt) {
      q.doubt = true;
    } else {
      fail(rank, f.request);
      advance_part(rank, f.request);
    }
  } else if (kind == Step::Kind::call) {
    ++(f.doubt ? coverage_.doubtful_probes : coverage_.failed_probes);
    r.outcome.error = Error::failed;
  } else {
    ++coverage_.broken;
    break_off(rank);
  }
}

void Simulator::fail(int rank, int request) {
  Request& q = ranks_[static_cast<std::size_t>(rank)].requests[static_cast<std::size_t>(request)];
  q.complete = q.failed = true;
  q.doubt = q.background = false;
  if (q.receive) ranks_[static_cast<std::size_t>(rank)].mailbox.withdraw(q.posted);
}

void Simulator::forget(int rank, int request) {
  Request& q = ranks_[static_cast<std::size_t>(rank)].requests[static_cast<std::size_t>(request)];
  if (q.complete) return;
  q.complete = q.forgotten = true;
  if (q.receive) ranks_[static_cast<std::size_t>(rank)].mailbox.withdraw(q.posted);
}

// An agreement remains valid, although its cost is not paid in full.
void Simulator::break_off(int rank) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  for (int request : r.started) forget(rank, request);
  r.started.clear();
  if (owes_exchange(rank)) return;
  r.steps.clear();
  if (!r.telling.empty()) await_told(rank);
  const Action action = operation(rank).action;
  if (action == Action::agree || action == Action::shrink)
    ++coverage_.unpaid;
  else
    r.outcome.error = Error::failed;
}

// The present step, which is over, remains the first one.
void Simulator::await_told(int rank) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  r.steps.push_back({.kind = Step::Kind::wait});
  for (std::size_t i = 0; i < r.telling.size(); ++i) {
    r.steps.push_back({.kind = Step::Kind::join});
    r.steps.push_back({.kind = Step::Kind::wait});
  }
}

bool Simulator::owes_exchange(int rank) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  if (!r.part.leads || r.part.by_pairs || r.told) return false;
  const auto begins = [](const Step& step) { return step.kind == Step::Kind::begin; };
  const auto next = std::find_if(r.steps.begin(), r.steps.end(), [](const Step& s) {
    return s.kind == Step::Kind::begin && s.by_pairs && s.leads;
  });
  if (next == r.steps.end()) return false;
  ++coverage_.told;
  r.owes = true;
  // The present step, which is over, remains the first one.
  std::deque<Step> steps = {{.kind = Step::Kind::wait}};
  steps.insert(steps.end(), next, std::find_if(next + 1, r.steps.end(), begins));
  steps.push_back({.kind = Step::Kind::heed});
  r.steps = std::move(steps);
  r.group.clear();
  return true;
}

void Simulator::heed(int rank) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  if (!r.owes && !r.told) return;
  coverage_.heeded += r.told && !r.part.by_pairs;
  r.outcome.error = Error::failed;
  r.steps.clear();
}

void Simulator::acknowledge(int rank) {
  Communicator& c = communicator(rank);
  c.acknowledged = ranks_[static_cast<std::size_t>(rank)].clock;
  const int first = first_known(rank, c.members.world);
  coverage_.acknowledged += first >= 0 && known(rank, first) <= *c.acknowledged;
}

void Simulator::get_acknowledged(int rank) {
  const Communicator& c = communicator(rank);
  std::int64_t& value = ranks_[static_cast<std::size_t>(rank)].outcome.value;
  for (int member : c.members.world)
    if (c.acknowledged && known(rank, member) <= *c.acknowledged) value |= std::int64_t{1} << member;
}

}  // namespace emu::reference
