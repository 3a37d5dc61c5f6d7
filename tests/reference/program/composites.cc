#include "reference/program/composites.h"

#include <algorithm>
#include <functional>

#include "reference/collectives/collectives.h"

namespace emu::reference {
namespace {

std::vector<int> star(int rank, int ranks) {
  if (rank > 0) return {0};
  return every(1, 1, ranks);
}

std::vector<int> both_sides(int rank, int ranks) { return {(rank + ranks - 1) % ranks, (rank + 1) % ranks}; }

}  // namespace

std::vector<int> subset(int ranks) {
  std::vector<int> result = every(0, 2, ranks);
  std::reverse(result.begin(), result.end());
  return result;
}

bool is_composite(Action action) { return action >= Action::ring && action <= Action::make_halves; }

std::vector<Part> composite_parts(const Operation& o, int ranks) {
  constexpr int made = 1;
  const Plan context = all_reduce(ranks, mask);
  const auto bound = [&](auto neighbours_of) { return [=](int rank) { return neighbours_of(rank, ranks); }; };
  switch (o.action) {
    case Action::ring: {  // MPI_Cart_create with a reordering, which is a split; MPI_Neighbor_allgather
      const auto near = bound(both_sides);
      return {{all_gather(ranks, wish)}, {context}, {neighbours(ranks, o.bytes, near, near), made}};
    }
    case Action::star: {  // MPI_Graph_create, MPI_Neighbor_allgather
      const auto near = bound(reference::star);
      return {{context}, {neighbours(ranks, o.bytes, near, near), made}};
    }
    case Action::shortcuts:  // MPI_Dist_graph_create_adjacent, MPI_Neighbor_alltoall
      return {{context}, {near(ranks, o.bytes), made}};
    case Action::edges:  // MPI_Dist_graph_create, up to the messages about edges (script.cc)
      return {{context}, {reduce_scatter_block(ranks, {.count = 2, .element = 4})}};
    case Action::
        rows: {  // MPI_Cart_create of two columns, without a last odd rank, and MPI_Cart_sub of its rows
      const std::vector<int> members = every(0, 1, ranks / 2 * 2);
      const int size = static_cast<int>(members.size());
      if (size == 0) return {{context}};
      return {{context},
              {among(members, ranks, all_gather(size, wish)), made, {members}},
              {among(members, ranks, all_reduce(size, mask)), made, {members}}};
    }
    case Action::subset: {  // MPI_Comm_create_group, MPI_Allgather
      const std::vector<int> members = subset(ranks);
      const int size = static_cast<int>(members.size());
      return {{among(members, ranks, all_reduce(size, mask)), Part::of_subset, {members}},
              {among(members, ranks, all_gather(size, o.bytes)), made, {members}}};
    }
    case Action::make_web:
      return {{context}};
    case Action::make_halves:
      return {{make_intercommunicator(ranks)}};
    case Action::bridge_split:
    case Action::bridge_create:
      return parted_bridge(ranks, o.bytes, o.action == Action::bridge_split);
    case Action::from_group:  // MPI_Comm_create_from_group, MPI_Allgather
      return {{context, Part::from_groups}, {all_gather(ranks, o.bytes), made}};
    default:
      return {bridge(ranks, o.bytes, o.action == Action::bridge)};
  }
}

model::Schedule as_schedule(const Plan& plan, int rank) {
  using Kind = model::Step::Kind;
  model::Schedule result;
  result.scratch = plan.room(rank).bytes;
  result.largest = plan.room(rank).largest;
  for (const Move& move : plan.of(rank)) {
    const model::Slice in{model::Space::input, 0, move.bytes}, out{model::Space::output, 0, move.bytes};
    switch (move.kind) {
      case Move::Kind::send:
        result.steps.push_back({Kind::send, move.peer, in, {}});
        break;
      case Move::Kind::receive:
        result.steps.push_back({Kind::receive, move.peer, out, {}});
        break;
      case Move::Kind::wait:
        result.steps.push_back({Kind::wait, -1, {}, {}});
        break;
      // Its data are not those of any message.
      case Move::Kind::copy:
        result.steps.push_back({Kind::copy, -1, out, out});
        break;
      case Move::Kind::combine:
        result.steps.push_back({Kind::combine, -1, out, out});
        break;
    }
  }
  return result;
}

}  // namespace emu::reference
