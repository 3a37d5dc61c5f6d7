#include "reference/simulator/simulator.h"

#include <algorithm>

namespace emu::reference {

Simulator::Simulator(const Cluster& cluster, int ranks)
    : costs_(cluster, ranks), ranks_(static_cast<std::size_t>(ranks)) {
  for (int rank = 0; rank < ranks; ++rank)
    for (int c = 0; c < communicator_count; ++c)
      ranks_[static_cast<std::size_t>(rank)].communicators.push_back(
          {.members = {context_of(c), rank_in(c, rank, ranks), members(c, rank, ranks)}});
}

const Operation& Simulator::operation(int rank) const {
  const auto r = static_cast<std::size_t>(rank);
  return program_->ranks[r][ranks_[r].next];
}

Simulator::Communicator& Simulator::communicator(int rank) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const int c = operation(rank).communicator;
  return r.communicators[c == newest ? r.newest : static_cast<std::size_t>(c)];
}

const Simulator::Communicator& Simulator::communicator_of(int rank, match::Context context) const {
  const auto& all = ranks_[static_cast<std::size_t>(rank)].communicators;
  return *std::find_if(all.begin(), all.end(), [&](const Communicator& c) {
    return c.members.context == (context & ~match::Context{1} & (first_partitioned - 1));
  });
}

Operation Simulator::resolved(int rank) const {
  const Members& members = communicator(rank).members;
  return resolve(operation(rank), members.rank, static_cast<int>(members.world.size()));
}

Simulator::End Simulator::run(const Program& program) {
  program_ = &program;
  outcomes_.assign(ranks_.size(), {});
  forget_flows();
  for (Rank& r : ranks_) {
    r.requests.clear();
    r.slots.assign(static_cast<std::size_t>(program.slots), -1);
    r.idle.assign(static_cast<std::size_t>(program.slots), false);
    r.tags.assign(static_cast<std::size_t>(program.slots), -1);
    r.found.assign(static_cast<std::size_t>(program.slots), -1);
    r.background.clear();
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
    // Operations that take effect while their rank does something else.
    int server = -1;
    Instant served = now;
    for (int rank = 0; rank < ranks; ++rank) {
      const Instant t = ranks_[static_cast<std::size_t>(rank)].mailbox.next_operation();
      if (t >= served) continue;
      served = t;
      server = rank;
    }
    if (server >= 0) {
      if (const auto f = failure_before(server, served)) {
        act(server, *f);
        continue;
      }
      decide(served);
      serve(server, end_of(served));
      continue;
    }
    if (first < 0) break;
    act(first, now);
  }
  if (endless_) return End::endless;
  End end = End::finished;
  forget_released();
  for (const Rank& r : ranks_)
    for (const Message& m : r.mailbox.messages())
      if (m.bus) bus_free_ = std::max(bus_free_, m.arrival);
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    Rank& r = ranks_[i];
    if (r.failed) continue;
    if (r.next < program.ranks[i].size()) return End::deadlock;
    // A rank does not end before the handshakes of its buffered sends.
    const bool complete = std::all_of(r.requests.begin(), r.requests.end(),
                                      [](auto& q) { return q.complete && !q.background; });
    if (!r.mailbox.clear() || !complete) end = End::leftover;
  }
  return end;
}

// Removes flows that no message of another program meets.
void Simulator::forget_flows() {
  Instant first = Instant::never();
  for (const Rank& r : ranks_)
    if (!r.failed) first = std::min(first, r.clock);
  const auto before = static_cast<std::int64_t>(flows_.size());
  reference::forget(flows_, first);
  forgotten_ += before;  // messages of the previous program are gone, and so are queries for their flows
  forgotten_ -= static_cast<std::int64_t>(flows_.size());
}

Instant Simulator::next_action(int rank) const {
  const Rank& r = ranks_[static_cast<std::size_t>(rank)];
  if (r.failed) return Instant::never();
  const Instant next = next_wanted(rank);
  // A rank that waits forever, or past the failure of its node, fails meanwhile.
  if (r.next < program_->ranks[static_cast<std::size_t>(rank)].size())
    return std::min(next, costs_.fails(rank));
  return next;
}

Instant Simulator::next_wanted(int rank) const {
  const Rank& r = ranks_[static_cast<std::size_t>(rank)];
  if (r.next >= program_->ranks[static_cast<std::size_t>(rank)].size()) return Instant::never();
  if (!r.begun) return r.clock;
  const Step& step = r.steps.front();
  Instant next = Instant::never();
  if (step.kind == Step::Kind::wait) {
    if (!r.entry || satisfied(rank)) return r.clock;
    next = next_event(rank, &r.started);
  } else if (step.kind == Step::Kind::call) {
    if (!r.entry) return r.clock;
    switch (operation(rank).action) {
      case Action::detach:
      case Action::wait:
      case Action::wait_all:
      case Action::wait_any:
      case Action::wait_some:
      case Action::take_back:
      case Action::receive_anew: {
        if (satisfied(rank)) return r.clock;
        const Requests set = wanted(rank);
        next = next_event(rank, &set);
        break;
      }
      case Action::sleep:
        next = std::min(next_event(rank, nullptr), sleeps_until(rank));
        break;
      case Action::probe:
        next = std::min(next_event(rank, nullptr), r.mailbox.next_candidate(probe_filter(rank)));
        break;
      default:
        return r.clock;
    }
  } else if (step.kind == Step::Kind::seek && r.entry) {
    next = std::min(next_event(rank, nullptr), r.mailbox.next_candidate(probe_filter(rank)));
  } else {
    return r.clock;
  }
  if (const auto f = failure(rank)) next = std::min(next, f->at);
  // A choice may make a message an event, so the rank must look when the choice can be made.
  next = std::min({next, r.mailbox.next_choice(), r.mailbox.next_decision()});
  return next.is_never() ? next : std::max(r.clock, next);
}

void Simulator::act(int rank, Instant now) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  if (now >= costs_.fails(rank)) return fail(rank);
  stand_still(rank);
  decide(now);
  if (!r.begun) begin(rank);
  if (!r.steps.empty()) begin_waiting(rank);
  settle(rank, now);
  if (!r.steps.empty()) {
    const Step step = r.steps.front();
    if (!carry_out(rank, step, now)) return;
    r.entry.reset();
    if (!r.steps.empty()) r.steps.pop_front();  // a failure ended its operation, whose steps are gone
  }
  if (r.failed) return;
  stand_still(rank);
  if (r.failed) return;
  if (r.steps.empty()) finish_operation(rank);
}

record::RankSummary Simulator::summary(int rank) const {
  const Rank& r = ranks_[static_cast<std::size_t>(rank)];
  return {.finish = r.clock,
          .time = r.time,
          .messages_sent = r.messages_sent,
          .bytes_sent = r.bytes_sent,
          .failed = r.failed};
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
