// Comparison of the messages and the work of collective operations, by plan and by the library's schedule, for many
// sizes.
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
  using Kind = model::Step::Kind;
  std::vector<Move> moves;
  for (const model::Step& step : schedule.steps) {
    if (step.kind == Kind::send) moves.push_back({Move::Kind::send, step.peer, step.slice.bytes});
    if (step.kind == Kind::receive) moves.push_back({Move::Kind::receive, step.peer, step.slice.bytes});
    if (step.kind == Kind::wait) moves.push_back({});
    if (step.kind == Kind::copy) moves.push_back({Move::Kind::copy, -1, step.slice.bytes});
    if (step.kind == Kind::combine) moves.push_back({Move::Kind::combine, -1, step.slice.bytes});
  }
  return moves;
}

inline std::vector<Move> without_work(std::vector<Move> moves) {
  std::erase_if(moves,
                [](const Move& m) { return m.kind == Move::Kind::copy || m.kind == Move::Kind::combine; });
  return moves;
}

inline std::string in_words(const std::vector<Move>& moves) {
  std::string text;
  for (const Move& move : moves) {
    if (move.kind == Move::Kind::wait) {
      text += " |";
    } else if (move.peer < 0) {
      text += (move.kind == Move::Kind::copy ? " copy " : " combine ") + std::to_string(move.bytes);
    } else {
      text += (move.kind == Move::Kind::send ? " to " : " from ") + std::to_string(move.peer) + ":" +
              std::to_string(move.bytes);
    }
  }
  return text;
}

using OfRank = std::function<model::Schedule(int rank)>;

// Returns false after the first difference. `work`: also compares copies, reductions and temporary memory.
inline bool same(const Plan& plain, const OfRank& model, const std::string& what, bool work = true) {
  for (int rank = 0; rank < plain.size(); ++rank) {
    const model::Schedule schedule = model(rank);
    std::vector<Move> got = moves(schedule), expected = plain.of(rank);
    if (!work) {
      got = without_work(got);
      expected = without_work(expected);
    }
    const Room& room = plain.room(rank);
    if (got == expected && (!work || room == Room{schedule.scratch, schedule.largest})) continue;
    ADD_FAILURE() << what << ", rank " << rank << " of " << plain.size() << "\n  plain:" << in_words(expected)
                  << ", memory " << room.bytes << " in parts of up to " << room.largest
                  << "\n  model:" << in_words(got) << ", memory " << schedule.scratch << " in parts of up to "
                  << schedule.largest;
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
