#include "skeleton/play/communicators.h"

#include <algorithm>
#include <string>
#include <utility>

#include "model/collectives.h"
#include "model/two_level.h"

namespace emu::skeleton {

using model::AlgorithmChoice;
using model::AlgorithmQuery;
using model::Block;
using model::Bytes;
using model::Collective;
using model::Reduction;

namespace {

// A communicator has at most one collective operation under way, so this tag must differ from other calls' tags only.
constexpr int tag = 1;

// Adjacent parts.
std::vector<Block> blocks(const std::vector<Bytes>& counts) {
  std::vector<Block> result;
  Bytes sum = 0;
  for (const Bytes each : counts) {
    result.push_back({sum, each});
    sum += each;
  }
  return result;
}

// A step's list, as in the C program: one list for all ranks if all ranks with a list have equal lists.
const std::vector<std::int64_t>& list_of(const Step& step, const Call& own) {
  static const std::vector<std::int64_t> nothing;
  const Call* only = nullptr;
  for (const Call& call : step.calls) {
    if (call.list.empty()) continue;
    if (!only) only = &call;
    if (call.list != only->list) return own.list;
  }
  return only ? only->list : nothing;
}

std::vector<Bytes> counts(const std::vector<std::int64_t>& list, int size, std::size_t part = 0,
                          std::size_t parts = 1, std::int64_t unit = 1) {
  const std::size_t length = list.size() / parts;
  std::vector<Bytes> result;
  for (std::size_t i = 0; i < static_cast<std::size_t>(size); ++i)
    result.push_back(i < length ? list[part * length + i] / unit : 0);
  return result;
}

}  // namespace

Communicators::Communicators(const app::fibers::Self& self, const app::fibers::FiberRun& run,
                             Contexts& contexts)
    : self_(self), rank_(self.rank()), run_(run), contexts_(contexts) {
  made_.emplace(world, make(2, rank_.number(), rank::Members::evenly(0, rank_.size())));
  made_.emplace(skeleton::self, make(4, 0, rank::Members::evenly(rank_.number(), 1)));
}

Communicators::Made Communicators::make(match::Context context, int own, rank::Members members) const {
  Made made;
  made.own.context = context;
  made.own.rank = own;
  made.own.world = std::move(members);
  made.steps = made.own;
  made.steps.context = made.own.collective();
  return made;
}

Communicators::Made& Communicators::made(std::int32_t number) {
  const auto found = made_.find(number);
  if (found == made_.end())
    self_.stop("rank " + std::to_string(rank_.number()) + ": the skeleton uses the communicator " +
               std::to_string(number) + ", which this rank does not have");
  return found->second;
}

rank::Communicator& Communicators::of(std::int32_t number) { return made(number).own; }

void Communicators::run(Made& on, const model::Schedule& schedule) {
  self_.begins_collective(on.steps.context);
  started_.clear();
  rank_.allocates(schedule.scratch, schedule.largest);
  for (const model::Step& step : schedule.steps) {
    const rank::Buffer data = app::fibers::bytes_only(step.slice.bytes);
    switch (step.kind) {
      case model::Step::Kind::send:
        started_.push_back(
            rank_.isend(on.steps, step.peer, tag, data,
                        schedule.synchronous ? rank::Mode::synchronous : rank::Mode::standard));
        break;
      case model::Step::Kind::receive:
        started_.push_back(rank_.ireceive(on.steps, step.peer, tag, data));
        break;
      case model::Step::Kind::wait:
        rank_.wait_all(started_);
        for (rank::Request* const request : started_) {
          self_.check("a collective operation", request->status, request->buffer.bytes);
          rank_.free(request);
        }
        started_.clear();
        break;
      case model::Step::Kind::copy:
        rank_.copies(step.slice.bytes);
        break;
      case model::Step::Kind::combine:
        rank_.combines(step.slice.bytes);
        break;
      case model::Step::Kind::access:
        break;
    }
  }
}

// The step contains the colours and keys of all members; their exchange takes its time nevertheless.
void Communicators::split(const Step& step, const Call& call) {
  Made& parent = made(call.comm);
  const int rank = parent.own.rank, size = parent.own.size();
  run(parent, model::allgather(rank, size, 8));
  run(parent, model::allreduce(rank, size, Reduction{65, 4, true, true}));
  const std::int64_t number = parent.splits++;
  if (call.peer == none) return;
  std::vector<std::pair<std::int32_t, int>> chosen;  // key and place
  for (int i = 0; i < size; ++i) {
    const Call& other = step.calls[static_cast<std::size_t>(parent.own.world[i])];
    if (other.function == Function::communicator && other.peer == call.peer)
      chosen.emplace_back(other.tag, i);
  }
  std::sort(chosen.begin(), chosen.end());
  std::vector<int> members;
  for (const auto& [key, place] : chosen) members.push_back(parent.own.world[place]);
  const rank::Members world(std::move(members));
  made_.insert_or_assign(call.slot, make(contexts_.of(parent.own.context, number, call.peer),
                                         world.find(rank_.number()), world));
}

const model::NodeGroups* Communicators::by_nodes(Made& on, const AlgorithmQuery& asked, model::Algorithm as) {
  if (as != model::Algorithm::mpich || !run_.target().shares_nodes()) return nullptr;
  if (!on.groups)
    on.groups = std::make_unique<model::NodeGroups>(on.own.rank, on.own.size(), [&](int member) {
      return run_.network().place(on.own.world[member]).node;
    });
  return model::takes_nodes(*on.groups, asked) ? on.groups.get() : nullptr;
}

void Communicators::collective(const Step& step, const Call& call, std::int32_t unit) {
  Made& on = made(call.comm);
  const model::Schedule schedule = this->schedule(on, step, call, unit);
  rank_.joins(on.own, has_root(call.function) ? call.peer : -1, -1);
  run(on, schedule);
}

void Communicators::gather(std::int32_t number, Bytes block) {
  Made& on = made(number);
  const int size = on.own.size();
  rank_.joins(on.own, 0, block);
  run(on, model::gather(on.own.rank, size, 0, block, false,
                        run_.target().algorithms.of({Collective::gather, block * size, size})));
}

model::Schedule Communicators::schedule(Made& on, const Step& step, const Call& call, std::int32_t unit) {
  const int rank = on.own.rank, size = on.own.size(), root = call.peer;
  const model::Algorithms& algorithms = run_.target().algorithms;
  const Bytes bytes = call.bytes;
  const Reduction what{bytes / unit, unit, true, true};
  const auto query = [&](Collective operation, Bytes counted) {
    return AlgorithmQuery{.operation = operation,
                          .bytes = counted,
                          .ranks = size,
                          .elements = reduces(call.function) ? what.count : 0,
                          .commutative = true};
  };
  const auto way = [&](Collective operation, Bytes counted) {
    return algorithms.of(query(operation, counted));
  };
  const auto groups = [&](Collective operation, Bytes counted) {
    return by_nodes(on, query(operation, counted), way(operation, counted));
  };
  switch (call.function) {
    case Function::barrier:
      if (const auto* const nodes = groups(Collective::barrier, 0)) return model::barrier_by_nodes(*nodes);
      return model::barrier(rank, size, way(Collective::barrier, 0));
    case Function::bcast:
      if (const auto* const nodes = groups(Collective::bcast, bytes))
        return model::bcast_by_nodes(*nodes, root, bytes);
      return model::bcast(rank, size, root, bytes, way(Collective::bcast, bytes));
    case Function::reduce:
      if (const auto* const nodes = groups(Collective::reduce, what.bytes()))
        return model::reduce_by_nodes(*nodes, root, what);
      return model::reduce(rank, size, root, what, false, way(Collective::reduce, what.bytes()));
    case Function::allreduce:
      if (const auto* const nodes = groups(Collective::allreduce, what.bytes()))
        return model::allreduce_by_nodes(*nodes, what);
      return model::allreduce(rank, size, what, false, way(Collective::allreduce, what.bytes()));
    case Function::scan:
      return model::scan(rank, size, what);
    case Function::exscan:
      return model::exscan(rank, size, what);
    case Function::reduce_scatter_block:
      return model::reduce_scatter_block(rank, size, what, false,
                                         way(Collective::reduce_scatter, what.bytes() * size));
    case Function::gather:
      return model::gather(rank, size, root, bytes, false, way(Collective::gather, bytes * size));
    case Function::scatter:
      return model::scatter(
          rank, size, root, bytes, false,
          algorithms.of(
              {.operation = Collective::gather, .bytes = bytes * size, .ranks = size, .scatters = true}));
    case Function::allgather:
      return model::allgather(rank, size, bytes, false, way(Collective::allgather, bytes * size));
    case Function::alltoall:
      return model::alltoall(rank, size, bytes, false, way(Collective::alltoall, bytes));
    default:
      return of_lists(on, step, call, unit);
  }
}

model::Schedule Communicators::of_lists(Made& on, const Step& step, const Call& call, std::int32_t unit) {
  const int rank = on.own.rank, size = on.own.size(), root = call.peer;
  const model::Algorithms& algorithms = run_.target().algorithms;
  const std::vector<std::int64_t>& list = list_of(step, call);
  const auto place = static_cast<std::size_t>(rank);
  switch (call.function) {
    case Function::reduce_scatter: {
      const std::vector<Bytes> parts = counts(list, size, 0, 1, unit);
      Bytes all = 0;
      for (const Bytes each : parts) all += each;
      const Reduction what{0, unit, true, true};
      return model::reduce_scatter(rank, size, parts, what, false,
                                   algorithms.of({.operation = Collective::reduce_scatter,
                                                  .bytes = unit * all,
                                                  .ranks = size,
                                                  .lists_counts = true}));
    }
    case Function::gatherv:
    case Function::scatterv: {
      const std::vector<Bytes> parts = counts(list, size);
      const Bytes own = rank == root ? parts[place] : call.bytes;
      const std::vector<Block> at_root = rank == root ? blocks(parts) : std::vector<Block>();
      if (call.function == Function::scatterv) return model::scatterv(rank, size, root, at_root, own);
      model::Schedule schedule = model::gatherv(rank, size, root, own, at_root);
      schedule.synchronous = model::gatherv_synchronous(size);
      return schedule;
    }
    case Function::allgatherv: {
      const std::vector<Bytes> parts = counts(list, size);
      Bytes all = 0;
      for (const Bytes each : parts) all += each;
      return model::allgatherv(
          rank, size, blocks(parts), model::Element{1, 1}, false,
          algorithms.of(
              {.operation = Collective::allgather, .bytes = all, .ranks = size, .lists_counts = true}));
    }
    case Function::alltoallv:
      return model::alltoallv(rank, size, blocks(counts(list, size, 0, 2)), blocks(counts(list, size, 1, 2)));
    default:
      return {};
  }
}

}  // namespace emu::skeleton
