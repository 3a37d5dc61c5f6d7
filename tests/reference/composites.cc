#include "reference/composites.h"

#include <functional>

#include "reference/across.h"
#include "reference/collectives/collectives.h"

namespace emu::reference {
namespace {

constexpr Bytes wish = 8;  // a colour and a key

std::vector<int> every(int first, int step, int ranks) {
  std::vector<int> result;
  for (int rank = first; rank < ranks; rank += step) result.push_back(rank);
  return result;
}

std::vector<int> star(int rank, int ranks) {
  if (rank > 0) return {0};
  return every(1, 1, ranks);
}

std::vector<int> both_sides(int rank, int ranks) { return {(rank + ranks - 1) % ranks, (rank + 1) % ranks}; }

// The even ranks and the odd ones as the groups of an intercommunicator.
class Bridge {
 public:
  explicit Bridge(int ranks) : ranks_(ranks), halves_{every(0, 2, ranks), every(1, 2, ranks)} {}

  // `split`: the groups are made by a split, or known.
  std::vector<Plan> plans(Bytes bytes, bool split) {
    if (split) {
      all_.push_back(all_gather(ranks_, wish));
      all_.push_back(all_reduce(ranks_, mask));
    }
    if (ranks_ < 2) return all_;
    // MPI_Intercomm_create, or from groups: a context of each group, and a list of that and the members.
    in_halves([](int size) { return all_reduce(size, mask); });
    trade(4 * (2 + size(0)), 4 * (2 + size(1)));
    // MPI_Sendrecv with the one of the same rank.
    Plan pairs(ranks_);
    for (int rank = 0; rank + 1 < ranks_; rank += 2) pairs.swap(rank, rank + 1, bytes, bytes);
    all_.push_back(pairs);
    // MPI_Bcast from the first even rank.
    Plan across(ranks_);
    across.message(0, 1, bytes);
    all_.push_back(across);
    all_.push_back(among(halves_[1], ranks_, broadcast(size(1), 0, bytes)));
    // MPI_Intercomm_merge: which group is to be the first, and a context of all.
    trade(4, 4);
    std::vector<int> merged = halves_[0];
    merged.insert(merged.end(), halves_[1].begin(), halves_[1].end());
    all_.push_back(among(merged, ranks_, all_reduce(ranks_, mask)));
    return all_;
  }

 private:
  int size(std::size_t half) const { return static_cast<int>(halves_[half].size()); }
  void in_halves(const std::function<Plan(int)>& plan) {
    for (std::size_t half : {0, 1}) all_.push_back(among(halves_[half], ranks_, plan(size(half))));
  }
  // The first members exchange how long their lists are, then the lists, and tell the others of their own group.
  void trade(Bytes even, Bytes odd) {
    for (const auto& [from_even, from_odd] : {std::pair<Bytes, Bytes>{4, 4}, {even, odd}}) {
      Plan leaders(ranks_);
      leaders.swap(0, 1, from_even, from_odd);
      all_.push_back(leaders);
      all_.push_back(among(halves_[0], ranks_, broadcast(size(0), 0, from_odd)));
      all_.push_back(among(halves_[1], ranks_, broadcast(size(1), 0, from_even)));
    }
  }

  int ranks_;
  std::vector<int> halves_[2];
  std::vector<Plan> all_;
};

}  // namespace

bool is_composite(Action action) { return action >= Action::ring && action <= Action::make_halves; }

std::vector<Plan> composite_plans(const Operation& o, int ranks) {
  const Plan context = all_reduce(ranks, mask);
  const auto bound = [&](auto neighbours_of) { return [=](int rank) { return neighbours_of(rank, ranks); }; };
  switch (o.action) {
    case Action::ring: {  // MPI_Cart_create with a reordering, which is a split; MPI_Neighbor_allgather
      const auto near = bound(both_sides);
      return {all_gather(ranks, wish), context, neighbours(ranks, o.bytes, near, near)};
    }
    case Action::star: {  // MPI_Graph_create, MPI_Neighbor_allgather
      const auto near = bound(reference::star);
      return {context, neighbours(ranks, o.bytes, near, near)};
    }
    case Action::shortcuts:  // MPI_Dist_graph_create_adjacent, MPI_Neighbor_alltoall
      return {context, near_exchange(ranks, o.bytes)};
    case Action::
        rows: {  // MPI_Cart_create of two columns, without a last odd rank, and MPI_Cart_sub of its rows
      const std::vector<int> members = every(0, 1, ranks / 2 * 2);
      const int size = static_cast<int>(members.size());
      if (size == 0) return {context};
      return {context, among(members, ranks, all_gather(size, wish)),
              among(members, ranks, all_reduce(size, mask))};
    }
    case Action::make_web:
      return {context};
    case Action::make_halves:
      return {make_intercommunicator(ranks)};
    case Action::from_group:  // MPI_Comm_create_from_group, MPI_Allgather
      return {context, all_gather(ranks, o.bytes)};
    default:
      return Bridge(ranks).plans(o.bytes, o.action == Action::bridge);
  }
}

model::Schedule as_schedule(const Plan& plan, int rank) {
  using Kind = model::Step::Kind;
  model::Schedule result;
  for (const Move& move : plan.of(rank)) {
    if (move.kind == Move::Kind::send)
      result.steps.push_back({Kind::send, move.peer, {model::Space::input, 0, move.bytes}, {}});
    else if (move.kind == Move::Kind::receive)
      result.steps.push_back({Kind::receive, move.peer, {model::Space::output, 0, move.bytes}, {}});
    else
      result.steps.push_back({Kind::wait, -1, {}, {}});
  }
  return result;
}

}  // namespace emu::reference
