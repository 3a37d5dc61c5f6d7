// The steps of a rank's operations, and the outages of its node meanwhile.
#include <algorithm>
#include <deque>

#include "reference/program/composites.h"
#include "reference/simulator/simulator.h"

namespace emu::reference {

std::vector<int> Simulator::nodes_of(const Members& members) const {
  std::vector<int> nodes;
  for (const int rank : members.world) nodes.push_back(costs_.node_of(rank));
  return nodes;
}

void Simulator::begin(int rank) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  r.begun = true;
  r.started.clear();
  r.telling.clear();
  r.outcome = {};
  r.agrees = false;
  r.unheard.clear();
  r.group.clear();
  r.part = {};
  r.owes = r.told = false;
  Communicator& c = communicator(rank);
  const Members& members = c.members;
  c.makers += is_composite(operation(rank).action);
  r.steps = script(resolved(rank), members, nodes_of(members), c.makers);
  if (const int again = operation(rank).again; again >= 0) {
    ++coverage_.persistent;
    r.idle[static_cast<std::size_t>(again)] = false;
  }
  if (!is_collective(operation(rank).action)) return;
  ++coverage_.collectives;
  const bool behind = in_background(operation(rank));
  if (operation(rank).communicator == web) ++(behind ? coverage_.near_behind : coverage_.near);
  if (operation(rank).communicator == halves) ++(behind ? coverage_.across_behind : coverage_.across);
  if (behind) return;
  const Action action = operation(rank).action;
  if (action == Action::from_group || action == Action::from_groups)
    ++coverage_.from_groups;
  else if (action == Action::bridge_split || action == Action::bridge_create)
    ++coverage_.parted_bridges;
  else if (action == Action::subset)
    ++coverage_.subsets;
  else if (is_composite(action))
    ++(action == Action::edges    ? coverage_.edges
       : action == Action::bridge ? coverage_.bridges
                                  : coverage_.topologies);
  r.group = members.world;
}

// A collective that begins when the failure of a member is known ends at once.
void Simulator::begin_collective(int rank, const Step& step) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  r.part = step;
  r.group = step.group;
  if (!broken_by_now(rank, r.group)) return;
  ++coverage_.broken_at_once;
  break_off(rank);
}

void Simulator::begin_waiting(int rank) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const Step::Kind kind = r.steps.front().kind;
  const bool seeks = kind == Step::Kind::seek;
  if (kind != Step::Kind::wait && kind != Step::Kind::call && !seeks) return;
  // Each test is a separate call.
  const Action action = operation(rank).action;
  const bool tests = kind == Step::Kind::call && (action == Action::iprobe || is_test(action));
  if (r.entry && !tests) return;
  r.entry = r.clock;
  if (action == Action::probe || action == Action::iprobe || seeks) serve(rank, end_of(r.clock));
  for (int request : wanted(rank)) r.requests[static_cast<std::size_t>(request)].doubt = false;
}

bool Simulator::carry_out(int rank, const Step& step, Instant now) {
  switch (step.kind) {
    case Step::Kind::compute: {
      const Operation& o = operation(rank);
      const Interval work = o.end < 0 ? Interval::picoseconds(o.picoseconds)
                                      : std::max(Instant::from_picoseconds(o.end) - now, Interval());
      coverage_.crossings += costs_.crosses(rank, work, now);
      compute(rank, costs_.done(rank, work, now));
      return true;
    }
    case Step::Kind::seek:
      return probe(rank, now);
    case Step::Kind::wait:
      return wait(rank, now);
    case Step::Kind::call:
      return call(rank, now);
    case Step::Kind::ready:
      make_ready(rank);
      return true;
    case Step::Kind::cancel:
      cancel(rank, now);
      return true;
    case Step::Kind::release:
      release(rank);
      return true;
    case Step::Kind::begin:
      begin_collective(rank, step);
      return true;
    case Step::Kind::memory:
    case Step::Kind::copy:
    case Step::Kind::combine:
      work(rank, step);
      return true;
    case Step::Kind::heed:
      heed(rank);
      return true;
    case Step::Kind::agree:
      begin_agreement(rank);
      return true;
    case Step::Kind::decide:
      decide_agreement(rank);
      return true;
    case Step::Kind::agreed:
      take_agreement(rank);
      return true;
    default:
      start(rank, step);
      return true;
  }
}

void Simulator::work(int rank, const Step& step) {
  const auto pay = [&](Interval cost, std::int64_t& count) {
    count += cost > Interval();
    charge(rank, &record::Breakdown::compute, cost);
  };
  if (step.kind == Step::Kind::memory)
    pay(costs_.temporary(step.room), coverage_.memories);
  else if (step.kind == Step::Kind::copy)
    pay(costs_.copy(step.bytes), coverage_.copies);
  else
    pay(costs_.reduction(step.bytes), coverage_.reductions);
}

void Simulator::start(int rank, const Step& step) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const Operation& o = operation(rank);
  const auto started = [&](int request) { r.started.push_back(request); };
  switch (step.kind) {
    case Step::Kind::send: {
      Step told = step;
      if (r.owes || r.told) told.out.message = marked;
      return started(start_send(rank, told));
    }
    case Step::Kind::post:
      if (!stays_in_doubt(rank)) started(post(rank, step));
      return;
    case Step::Kind::launch:
      return launch(rank, step);
    case Step::Kind::tell:
      return tell_edges(rank, step);
    case Step::Kind::join:
      r.group.clear();
      started(r.telling.front());
      return r.telling.pop_front();
    case Step::Kind::take:
      if (const int found = r.found[static_cast<std::size_t>(o.slots.front())]; found >= 0)
        started(receive_taken(rank, found, step.slot));
      return;
    case Step::Kind::parts:
      new_send(rank, step);
      return;
    case Step::Kind::again:
      if (was_cancelled(rank))
        started(o.action == Action::take_back ? start_send(rank, step) : post(rank, step));
      return;
    default:
      return;
  }
}

bool Simulator::call(int rank, Instant now) {
  switch (operation(rank).action) {
    case Action::wait:
    case Action::wait_all:
    case Action::wait_any:
    case Action::wait_some:
    case Action::take_back:
    case Action::receive_anew:
    case Action::detach:
      return wait(rank, now);
    case Action::probe:
    case Action::iprobe:
      return probe(rank, now);
    case Action::sleep:
      return sleep(rank, now);
    case Action::acknowledge:
      acknowledge(rank);
      return true;
    case Action::get_acknowledged:
      get_acknowledged(rank);
      return true;
    default:
      return test(rank, now);
  }
}

void Simulator::finish_operation(int rank) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  r.outcome.clock = r.clock.picoseconds();
  outcomes_[static_cast<std::size_t>(rank)].push_back(r.outcome);
  r.idle_since.reset();  // the player reads its clock after each operation
  r.begun = false;
  r.entry.reset();
  ++r.next;
}

void Simulator::fail(int rank, Interval record::Breakdown::*part) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  r.failed = true;
  if (costs_.fails(rank) > r.clock) spend(rank, part, costs_.fails(rank));
  ++coverage_.failed;
}

void Simulator::stand_still(int rank) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  Instant until;
  if (r.failed || !costs_.down(rank, r.clock, until)) return;
  if (until.is_never()) return fail(rank);
  spend(rank, &record::Breakdown::down, until);
  ++coverage_.stopped;
}

void Simulator::spend(int rank, Interval record::Breakdown::*part, Instant until) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const Interval down = costs_.down_within(rank, r.clock, until);
  r.time.down += down;
  r.time.*part += until - r.clock - down;
  r.clock = until;
}

}  // namespace emu::reference
