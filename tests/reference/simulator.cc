#include "reference/simulator.h"

#include <algorithm>

namespace emu::reference {

Simulator::Simulator(const Cluster& cluster, int ranks)
    : costs_(cluster, ranks), ranks_(static_cast<std::size_t>(ranks)) {}

const Operation& Simulator::operation(int rank) const {
  const auto r = static_cast<std::size_t>(rank);
  return program_->ranks[r][ranks_[r].next];
}

Simulator::End Simulator::run(const Program& program) {
  program_ = &program;
  outcomes_.assign(ranks_.size(), {});
  for (Rank& r : ranks_) {
    r.requests.clear();
    r.slots.assign(static_cast<std::size_t>(program.slots), -1);
    r.next = 0;
  }
  const int ranks = static_cast<int>(ranks_.size());
  while (!endless_) {
    int first = -1;
    Instant now = Instant::never();
    for (int i = 0; i < ranks; ++i) {
      const int rank = reverse_ties_ ? ranks - 1 - i : i;
      const Instant t = next_action(rank);
      if (t < now) {
        now = t;
        first = rank;
      }
    }
    if (first < 0) break;
    act(first, now);
  }
  if (endless_) return End::endless;
  End end = End::finished;
  for (const Rank& r : ranks_)
    for (const Message& m : r.mailbox.messages())
      if (m.bus) bus_free_ = std::max(bus_free_, m.arrival);
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    Rank& r = ranks_[i];
    if (r.next < program.ranks[i].size()) return End::deadlock;
    const bool complete =
        std::all_of(r.requests.begin(), r.requests.end(), [](auto& q) { return q.complete; });
    if (!r.mailbox.clear() || !complete) end = End::leftover;
  }
  return end;
}

Instant Simulator::next_action(int rank) const {
  const Rank& r = ranks_[static_cast<std::size_t>(rank)];
  if (r.failed) return Instant::never();
  const Instant next = next_wanted(rank);
  // One that waits for ever, or beyond that, fails meanwhile.
  if (r.next < program_->ranks[static_cast<std::size_t>(rank)].size() && !r.joined)
    return std::min(next, costs_.fails(rank));
  return next;
}

Instant Simulator::next_wanted(int rank) const {
  const Rank& r = ranks_[static_cast<std::size_t>(rank)];
  if (r.next >= program_->ranks[static_cast<std::size_t>(rank)].size() || r.joined) return Instant::never();
  if (!r.begun) return r.clock;
  const Step& step = r.steps.front();
  Instant next = Instant::never();
  if (step.kind == Step::Kind::wait) {
    if (satisfied(rank)) return r.clock;
    next = next_event(rank, &r.started);
  } else if (step.kind == Step::Kind::call) {
    switch (operation(rank).action) {
      case Action::wait:
      case Action::wait_all:
      case Action::wait_any:
      case Action::wait_some: {
        if (satisfied(rank)) return r.clock;
        const Requests set = wanted(rank);
        next = next_event(rank, &set);
        break;
      }
      case Action::probe:
        next = std::min(next_event(rank, nullptr), r.mailbox.next_candidate(probe_filter(rank)));
        break;
      default:
        return r.clock;
    }
  } else {
    return r.clock;
  }
  // A choice may make an event of a message, so the rank has to look when the choice can be made.
  next = std::min({next, r.mailbox.next_choice(), r.mailbox.next_decision()});
  return next.is_never() ? next : std::max(r.clock, next);
}

void Simulator::act(int rank, Instant now) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  if (now >= costs_.fails(rank)) return fail(rank);
  stand_still(rank);
  decide(now);
  r.mailbox.settle(now);
  if (!r.begun) {
    r.begun = true;
    r.steps = script(operation(rank), rank, static_cast<int>(ranks_.size()));
    r.started.clear();
    r.outcome = {};
    if (is_collective(operation(rank).action)) ++coverage_.collectives;
  }
  if (!r.steps.empty()) {
    const Step step = r.steps.front();
    if (!carry_out(rank, step, now)) return;
    r.steps.pop_front();
  }
  if (r.failed) return;
  stand_still(rank);
  if (r.failed) return;
  if (r.steps.empty()) finish_operation(rank);
}

bool Simulator::carry_out(int rank, const Step& step, Instant now) {
  const Operation& o = operation(rank);
  switch (step.kind) {
    case Step::Kind::compute:
      coverage_.crossings += costs_.crosses(rank, Interval::picoseconds(o.picoseconds), now);
      compute(rank, costs_.done(rank, Interval::picoseconds(o.picoseconds), now));
      return true;
    case Step::Kind::send:
      start_send(rank, step);
      return true;
    case Step::Kind::post:
      post(rank, step);
      return true;
    case Step::Kind::wait:
      return wait(rank, now);
    case Step::Kind::join:
      join();
      return false;
    case Step::Kind::call:
      break;
  }
  switch (o.action) {
    case Action::wait:
    case Action::wait_all:
    case Action::wait_any:
    case Action::wait_some:
      return wait(rank, now);
    case Action::probe:
    case Action::iprobe:
      return probe(rank, now);
    default:
      return test(rank, now);
  }
}

void Simulator::finish_operation(int rank) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  r.outcome.clock = r.clock.picoseconds();
  outcomes_[static_cast<std::size_t>(rank)].push_back(r.outcome);
  r.begun = false;
  ++r.next;
}

// Called once for each rank that comes to a join; the last one lets all go. (Only the world and its like
// join, so there is only one join at a time.)
void Simulator::join() {
  int last = -1;
  Instant latest;
  bool all = true;
  const int count = static_cast<int>(ranks_.size());
  for (int rank = 0; rank < count; ++rank) {
    Rank& r = ranks_[static_cast<std::size_t>(rank)];
    const bool here = r.begun && !r.failed && !r.steps.empty() && r.steps.front().kind == Step::Kind::join;
    all = all && here;
    if (here) latest = std::max(latest, r.clock);
    if (here) last = rank;
    r.joined = here;
  }
  if (!all) return;
  // One of them hears of all, and tells the others when it goes on.
  const int root = translate(operation(last).communicator, 0, count);
  const auto release = [&](int rank, Instant instant) {
    Rank& r = ranks_[static_cast<std::size_t>(rank)];
    r.joined = false;
    wait_until(rank, instant);
    if (r.failed) return;
    r.steps.pop_front();
    finish_operation(rank);
  };
  if (ranks_[static_cast<std::size_t>(root)].failed) return;
  wait_until(root, latest);
  if (ranks_[static_cast<std::size_t>(root)].failed) return;
  latest = ranks_[static_cast<std::size_t>(root)].clock;
  for (int rank = 0; rank < count; ++rank)
    if (costs_.fails(rank) <= latest) return;  // it would not go on with the others, so nobody does
  release(root, latest);
  for (int rank = 0; rank < count; ++rank)
    if (rank != root && !ranks_[static_cast<std::size_t>(rank)].failed) release(rank, latest);
}

void Simulator::fail(int rank) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  r.failed = true;
  r.clock = std::max(r.clock, costs_.fails(rank));
  ++coverage_.failed;
}

void Simulator::stand_still(int rank) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  Instant until;
  if (r.failed || !costs_.down(rank, r.clock, until)) return;
  if (until.is_never()) return fail(rank);
  spend(rank, &trace::Breakdown::down, until);
  ++coverage_.stopped;
}

void Simulator::spend(int rank, Interval trace::Breakdown::*part, Instant until) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const Interval down = costs_.down_within(rank, r.clock, until);
  r.time.down += down;
  r.time.*part += until - r.clock - down;
  r.clock = until;
}

trace::RankSummary Simulator::summary(int rank) const {
  const Rank& r = ranks_[static_cast<std::size_t>(rank)];
  return {.finish = r.clock, .time = r.time, .messages_sent = r.messages_sent, .bytes_sent = r.bytes_sent};
}

Coverage Simulator::coverage() const {
  Coverage c = coverage_;
  for (const Rank& r : ranks_) {
    c.choices += r.mailbox.choices;
    c.contested += r.mailbox.contested;
    c.ties += r.mailbox.ties;
    c.held += r.mailbox.held;
  }
  return c;
}

}  // namespace emu::reference
