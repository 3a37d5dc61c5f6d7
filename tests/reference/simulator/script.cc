#include "reference/simulator/script.h"

#include <algorithm>
#include <optional>

#include "model/collectives.h"
#include "model/two_level.h"
#include "reference/collectives/collectives.h"
#include "reference/program/across.h"
#include "reference/program/composites.h"

namespace emu::reference {
namespace {

int in_world(const Members& members, int rank) {
  return rank < 0 ? rank : members.world[static_cast<std::size_t>(rank)];
}

Step send_step(const Members& members, match::Context context, const Outgoing& out, int slot = -1) {
  Step step{.kind = Step::Kind::send, .context = context, .out = out, .slot = slot};
  step.out.to = in_world(members, out.to);
  return step;
}

Step post_step(const Members& members, match::Context context, const Incoming& in, int slot = -1) {
  Step step{.kind = Step::Kind::post, .context = context, .in = in, .slot = slot};
  step.in.from = in_world(members, in.from);
  return step;
}

// A reduction of `bytes` bytes (a multiple of 4) of MPI_INT.
model::Reduction integers(Bytes bytes) { return {.count = bytes / 4, .element = 4}; }

model::Schedule schedule(const Operation& o, int rank, const std::vector<int>& nodes) {
  using model::Collective;
  const int ranks = static_cast<int>(nodes.size());
  const model::NodeGroups groups(rank, ranks, [&](int i) { return nodes[static_cast<std::size_t>(i)]; });
  const auto by_nodes = [&](Collective collective) {
    return model::takes_nodes(groups, {collective, o.bytes, ranks, o.bytes / 4});
  };
  switch (o.action) {
    case Action::barrier:
      return by_nodes(Collective::barrier) ? model::barrier_by_nodes(groups) : model::barrier(rank, ranks);
    case Action::broadcast:
      return by_nodes(Collective::bcast) ? model::bcast_by_nodes(groups, o.root, o.bytes)
                                         : model::bcast(rank, ranks, o.root, o.bytes);
    case Action::reduce:
      return by_nodes(Collective::reduce) ? model::reduce_by_nodes(groups, o.root, integers(o.bytes))
                                          : model::reduce(rank, ranks, o.root, integers(o.bytes));
    case Action::all_reduce:
      return by_nodes(Collective::allreduce) ? model::allreduce_by_nodes(groups, integers(o.bytes))
                                             : model::allreduce(rank, ranks, integers(o.bytes));
    case Action::gather:
      return model::gather(rank, ranks, o.root, o.bytes);
    case Action::scatter:
      return model::scatter(rank, ranks, o.root, o.bytes);
    case Action::all_gather:
      return model::allgather(rank, ranks, o.bytes);
    case Action::all_to_all:
      return model::alltoall(rank, ranks, o.bytes);
    case Action::duplicate:
      return model::allreduce(rank, ranks, {.count = mask.count, .element = mask.element});
    case Action::split:
      return model::allgather(rank, ranks, 8);
    default:
      return {};
  }
}

// The plan of a collective for which the library has no function here, or whose messages are between two groups.
std::optional<Plan> special_plan(const Operation& o, int ranks) {
  if (o.communicator == halves) return inter_plan(o, ranks);
  if (o.action == Action::near_gather || o.action == Action::near_exchange) return near(ranks, o.bytes);
  return std::nullopt;
}

Plan plan(const Operation& o, const std::vector<int>& nodes) {
  const int ranks = static_cast<int>(nodes.size());
  if (const auto special = special_plan(o, ranks)) return *special;
  const Operands what{.count = o.bytes / 4, .element = 4};
  switch (o.action) {
    case Action::barrier:
      return barrier_by_nodes(nodes);
    case Action::broadcast:
      return broadcast_by_nodes(nodes, o.root, o.bytes);
    case Action::reduce:
      return reduce_by_nodes(nodes, o.root, what);
    case Action::all_reduce:
      return all_reduce_by_nodes(nodes, what);
    case Action::gather:
      return gather(ranks, o.root, o.bytes);
    case Action::scatter:
      return scatter(ranks, o.root, o.bytes);
    case Action::all_gather:
      return all_gather(ranks, o.bytes);
    case Action::all_to_all:
      return all_to_all(ranks, o.bytes, false);
    case Action::duplicate:
      return all_reduce(ranks, mask);
    case Action::split:
      return all_gather(ranks, 8);
    default:
      return Plan(ranks);
  }
}

bool contains(const std::vector<int>& ranks, int rank) {
  return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

// The ranks whose failures break the part for `rank`.
std::vector<int> group_of(const Part& part, int rank) {
  if (part.groups.empty() && !part.by_pairs) return every(0, 1, part.plan.size());
  for (const std::vector<int>& group : part.groups)
    if (contains(group, rank)) return group;
  return {};
}

}  // namespace

std::vector<Scheduled> schedules(const Operation& o, int rank, const std::vector<int>& nodes) {
  const int ranks = static_cast<int>(nodes.size());
  if (is_composite(o.action)) {
    std::vector<Scheduled> result;
    for (const Part& part : composite_parts(o, ranks))
      result.push_back({as_schedule(part.plan, rank), part.channel, group_of(part, rank), part.by_pairs,
                        contains(part.leaders, rank), part.heeds});
    return result;
  }
  const auto of_all = [&](const model::Schedule& steps) {
    return Scheduled{steps, Part::on_parent, every(0, 1, ranks)};
  };
  if (const auto special = special_plan(o, ranks)) return {of_all(as_schedule(*special, rank))};
  if (o.action != Action::split) return {of_all(schedule(o, rank, nodes))};
  return {of_all(schedule(o, rank, nodes)), of_all(schedule({.action = Action::duplicate}, rank, nodes))};
}

std::vector<Part> collective_parts(const Operation& o, const std::vector<int>& nodes) {
  if (is_composite(o.action)) return composite_parts(o, static_cast<int>(nodes.size()));
  if (o.action != Action::split) return {{plan(o, nodes)}};
  return {{plan(o, nodes)}, {plan({.action = Action::duplicate}, nodes)}};
}

// Each function has its own tag, and all functions that create communicators share one tag: remaining messages of an
// operation whose other messages were lost match no other function. Messages on a communicator that an operation makes
// match no messages of its parent.
int tag_of(Action action, int channel, int number) {
  constexpr int from_groups = 999, of_leaders = 998, of_subset = 995, first = 1 << 20;
  if (channel == Part::from_groups) return from_groups;
  if (channel == Part::of_leaders) return of_leaders;
  if (channel == Part::of_subset) return of_subset;
  if (channel != Part::on_parent) return first + number * (1 + Part::most) + channel;
  const bool makes = action == Action::duplicate || action == Action::split || is_composite(action);
  return makes ? 0 : 1 + static_cast<int>(action);
}

int tag_of_edges(bool into) { return into ? 997 : 996; }

match::Context context_of(int communicator) { return 2 * static_cast<match::Context>(communicator); }

std::deque<Step> steps_of(const Plan& plan, const Members& members, int tag) {
  std::deque<Step> steps;
  const match::Context context = members.context | 1;
  if (const Room& room = plan.room(members.rank); room.bytes > 0)
    steps.push_back({.kind = Step::Kind::memory, .room = room});
  for (const Move& move : plan.of(members.rank)) {
    switch (move.kind) {
      case Move::Kind::send:
        steps.push_back(send_step(members, context, {.to = move.peer, .tag = tag, .bytes = move.bytes}));
        break;
      case Move::Kind::receive:
        steps.push_back(post_step(members, context, {.from = move.peer, .tag = tag}));
        break;
      case Move::Kind::wait:
        steps.push_back({.kind = Step::Kind::wait});
        break;
      case Move::Kind::copy:
        steps.push_back({.kind = Step::Kind::copy, .bytes = move.bytes});
        break;
      case Move::Kind::combine:
        steps.push_back({.kind = Step::Kind::combine, .bytes = move.bytes});
        break;
    }
  }
  return steps;
}

namespace {

void append(std::deque<Step>& steps, const Part& part, const Members& members, int tag) {
  Step begin{.kind = Step::Kind::begin, .by_pairs = part.by_pairs};
  begin.leads = contains(part.leaders, members.rank);
  for (const int rank : group_of(part, members.rank)) begin.group.push_back(in_world(members, rank));
  steps.push_back(begin);
  for (const Step& step : steps_of(part.plan, members, tag)) steps.push_back(step);
  if (part.heeds) steps.push_back({.kind = Step::Kind::heed});
}

// Each rank receives the edges into it, then those out of it.
void append_edges(std::deque<Step>& steps, const Members& members) {
  const int ranks = static_cast<int>(members.world.size());
  for (const bool into : {true, false}) {
    Step tell{.kind = Step::Kind::tell, .context = members.context | 1};
    for (const auto& [to, bytes] : told_edges(members.rank, ranks, into))
      tell.told.push_back({.to = in_world(members, to), .tag = tag_of_edges(into), .bytes = bytes});
    steps.push_back(tell);
  }
  for (const bool into : {true, false})
    for (int i = edges_heard(members.rank, ranks, into); i > 0; --i)
      steps.push_back({.kind = Step::Kind::seek,
                       .context = members.context | 1,
                       .in = {.from = match::any_source, .tag = tag_of_edges(into)}});
  for (int i = 0; i < 2; ++i) {
    steps.push_back({.kind = Step::Kind::join});
    steps.push_back({.kind = Step::Kind::wait});
  }
}

std::deque<Step> blocking_steps(const Operation& o, const Members& members, const std::vector<int>& nodes,
                                int number) {
  std::deque<Step> steps;
  for (const Part& part : collective_parts(o, nodes)) {
    Members there = members;
    if (part.channel == Part::from_groups) there.context = context_of(0);
    append(steps, part, there, tag_of(o.action, part.channel, number));
  }
  if (o.action == Action::edges) append_edges(steps, members);
  return steps;
}

}  // namespace

std::deque<Step> script(const Operation& o, const Members& members, const std::vector<int>& nodes,
                        int number) {
  const match::Context context = members.context;
  switch (o.action) {
    case Action::compute:
      return {{.kind = Step::Kind::compute}};
    case Action::send:
      return {send_step(members, context, o.out), {.kind = Step::Kind::wait}};
    case Action::isend:
      return {send_step(members, context, o.out, o.slot)};
    case Action::receive:
      return {post_step(members, context, o.in), {.kind = Step::Kind::wait}};
    case Action::ireceive:
      return {post_step(members, context, o.in, o.slot)};
    case Action::send_receive:
      return exchange_steps(o, members);
    case Action::isend_receive:
      return {{.kind = Step::Kind::launch, .slot = o.slot}};
    case Action::start_parts: {
      Step step = send_step(members, context, o.out, o.slot);
      step.kind = Step::Kind::parts;
      step.parts = o.parts;
      return {step};
    }
    case Action::receive_parts: {
      Step step = post_step(members, context, o.in, o.slot);
      step.parts = o.parts;
      return {step};
    }
    case Action::ready:
      return {{.kind = Step::Kind::ready}};
    case Action::cancel:
      return {{.kind = Step::Kind::cancel}};
    case Action::release:
      return {{.kind = Step::Kind::release}};
    case Action::take_back: {
      Step again = send_step(members, context, o.out);
      again.kind = Step::Kind::again;
      return {{.kind = Step::Kind::cancel}, {.kind = Step::Kind::call}, again, {.kind = Step::Kind::wait}};
    }
    case Action::receive_anew: {
      Step again = post_step(members, context, o.in);
      again.kind = Step::Kind::again;
      return {{.kind = Step::Kind::cancel}, {.kind = Step::Kind::call}, again, {.kind = Step::Kind::wait}};
    }
    case Action::receive_found: {
      const Step take{.kind = Step::Kind::take, .slot = o.slot};
      if (o.slot >= 0) return {take};
      return {take, {.kind = Step::Kind::wait}};
    }
    case Action::agree:
    case Action::shrink:
      return {{.kind = Step::Kind::agree}};
    default:
      break;
  }
  if (!is_collective(o.action)) return {{.kind = Step::Kind::call, .context = context}};
  if (in_background(o)) return {{.kind = Step::Kind::launch, .slot = o.slot}};
  return blocking_steps(o, members, nodes, number);
}

std::deque<Step> exchange_steps(const Operation& o, const Members& members) {
  return {post_step(members, members.context, o.in),
          send_step(members, members.context, o.out),
          {.kind = Step::Kind::wait}};
}

std::deque<Step> collective_steps(const Operation& o, const Members& members, const std::vector<int>& nodes,
                                  int tag) {
  std::deque<Step> steps;
  for (const Part& part : collective_parts(o, nodes)) append(steps, part, members, tag);
  return steps;
}

}  // namespace emu::reference
