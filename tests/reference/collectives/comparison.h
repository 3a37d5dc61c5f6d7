// Comparison of the messages of collective operations, by plan and by the library's schedule, for many sizes.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "model/schedule.h"
#include "reference/collectives/collectives.h"

namespace emu::reference {

inline constexpr int most = 33;

// Amounts on both sides of every given limit, and some small and odd ones.
inline Sizes amounts(const Sizes& limits) {
  Sizes all = {0, 1, 2, 3, 7, 8, 9, 31, 32, 33, 100, 1000};
  for (const Bytes limit : limits)
    for (const Bytes more : {-1, 0, 1}) all.push_back(std::max<Bytes>(0, limit + more));
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// Amounts for each rank, so that their total for `size` ranks is on both sides of each limit.
inline Sizes shares(const Sizes& totals, const Sizes& limits, int size) {
  Sizes each = limits;
  for (const Bytes total : totals) each.push_back(total / size);
  return amounts(each);
}

inline std::vector<Move> moves(const model::Schedule& schedule) {
  std::vector<Move> moves;
  for (const model::Step& step : schedule.steps) {
    if (step.kind == model::Step::Kind::send)
      moves.push_back({Move::Kind::send, step.peer, step.slice.bytes});
    if (step.kind == model::Step::Kind::receive)
      moves.push_back({Move::Kind::receive, step.peer, step.slice.bytes});
    if (step.kind == model::Step::Kind::wait) moves.push_back({});
  }
  return moves;
}

inline std::string in_words(const std::vector<Move>& moves) {
  std::string text;
  for (const Move& move : moves) {
    if (move.kind == Move::Kind::wait) {
      text += " |";
    } else {
      text += (move.kind == Move::Kind::send ? " to " : " from ") + std::to_string(move.peer) + ":" +
              std::to_string(move.bytes);
    }
  }
  return text;
}

using OfRank = std::function<model::Schedule(int rank)>;

// Returns false after the first difference.
inline bool same(const Plan& plain, const OfRank& model, const std::string& what) {
  for (int rank = 0; rank < plain.size(); ++rank) {
    const std::vector<Move> got = moves(model(rank));
    if (got == plain.of(rank)) continue;
    ADD_FAILURE() << what << ", rank " << rank << " of " << plain.size()
                  << "\n  plain:" << in_words(plain.of(rank)) << "\n  model:" << in_words(got);
    return false;
  }
  return true;
}

inline std::string words(const char* operation, Bytes amount, int root = -1, bool in_place = false) {
  return std::string(operation) + " of " + std::to_string(amount) +
         (root < 0 ? "" : ", root " + std::to_string(root)) + (in_place ? ", in place" : "");
}

// Calls `each` for all numbers of ranks, until there is a difference.
inline void for_sizes(const std::function<void(int size)>& each) {
  for (int size = 1; size <= most && !testing::Test::HasFailure(); ++size) each(size);
}

inline constexpr bool both[] = {false, true};

// A predefined operation, a commutative one of the program, and one that does not commute.
struct Operator {
  const char* name;
  bool commutative, predefined;
};
inline constexpr Operator operators[] = {
    {"sum", true, true}, {"own", true, false}, {"ordered", false, false}};

}  // namespace emu::reference
