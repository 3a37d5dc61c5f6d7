#include "reference/script.h"

#include "model/collectives.h"

namespace emu::reference {
namespace {

Step send_step(const Operation& o, match::Context context, const Outgoing& out, int ranks) {
  Step step{.kind = Step::Kind::send, .context = context, .out = out, .slot = o.slot};
  step.out.to = translate(o.communicator, out.to, ranks);
  return step;
}

Step post_step(const Operation& o, match::Context context, const Incoming& in, int ranks) {
  Step step{.kind = Step::Kind::post, .context = context, .in = in, .slot = o.slot};
  step.in.from = translate(o.communicator, in.from, ranks);
  return step;
}

// Of `bytes` bytes, a multiple of 4, of MPI_INT.
model::Reduction integers(Bytes bytes) { return {.count = bytes / 4, .element = 4}; }

std::deque<Step> collective(const Operation& o, int rank, int ranks) {
  std::deque<Step> steps;
  const match::Context context = context_of(o.communicator) | 1;
  const model::Schedule schedule_of_rank = schedule(o, translate(o.communicator, rank, ranks), ranks);
  for (const model::Step& s : schedule_of_rank.steps) {
    if (s.kind == model::Step::Kind::send) {
      steps.push_back(send_step(o, context, {.to = s.peer, .bytes = s.slice.bytes}, ranks));
    } else if (s.kind == model::Step::Kind::receive) {
      steps.push_back(post_step(o, context, {.from = s.peer, .tag = 0}, ranks));
    } else if (s.kind == model::Step::Kind::wait) {
      steps.push_back({.kind = Step::Kind::wait});
    }
  }
  if (o.action == Action::duplicate || o.action == Action::split) steps.push_back({.kind = Step::Kind::join});
  return steps;
}

}  // namespace

model::Schedule schedule(const Operation& o, int rank, int ranks) {
  switch (o.action) {
    case Action::barrier:
      return model::barrier(rank, ranks);
    case Action::broadcast:
      return model::bcast(rank, ranks, o.root, o.bytes);
    case Action::reduce:
      return model::reduce(rank, ranks, o.root, integers(o.bytes));
    case Action::all_reduce:
      return model::allreduce(rank, ranks, integers(o.bytes));
    case Action::gather:
      return model::gather(rank, ranks, o.root, o.bytes);
    case Action::scatter:
      return model::scatter(rank, ranks, o.root, o.bytes);
    case Action::all_gather:
      return model::allgather(rank, ranks, o.bytes);
    case Action::all_to_all:
      return model::alltoall(rank, ranks, o.bytes);
    case Action::duplicate:
      return model::allreduce(rank, ranks, {.count = 8, .element = 8});
    case Action::split:
      return model::allgather(rank, ranks, 8);
    default:
      return {};
  }
}

match::Context context_of(int communicator) { return 2 * static_cast<match::Context>(communicator); }

std::deque<Step> script(const Operation& o, int rank, int ranks) {
  const match::Context context = context_of(o.communicator);
  switch (o.action) {
    case Action::compute:
      return {{.kind = Step::Kind::compute}};
    case Action::send:
      return {send_step(o, context, o.out, ranks), {.kind = Step::Kind::wait}};
    case Action::isend:
      return {send_step(o, context, o.out, ranks)};
    case Action::receive:
      return {post_step(o, context, o.in, ranks), {.kind = Step::Kind::wait}};
    case Action::ireceive:
      return {post_step(o, context, o.in, ranks)};
    case Action::send_receive:
      return {post_step(o, context, o.in, ranks),
              send_step(o, context, o.out, ranks),
              {.kind = Step::Kind::wait}};
    default:
      break;
  }
  if (is_collective(o.action)) return collective(o, rank, ranks);
  return {{.kind = Step::Kind::call, .context = context}};
}

}  // namespace emu::reference
