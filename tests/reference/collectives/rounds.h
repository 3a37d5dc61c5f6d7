// The patterns that several operations are made of. Not for use outside this folder.
#pragma once

#include <algorithm>
#include <set>

#include "reference/collectives/collectives.h"

namespace emu::reference {

inline bool power_of_two(int n) {
  int power = 1;
  while (power < n) power *= 2;
  return power == n;
}

inline int greatest_power_in(int n) {
  int power = 1;
  while (2 * power <= n) power *= 2;
  return power;
}

inline Bytes sum(const Sizes& sizes) {
  Bytes all = 0;
  for (const Bytes bytes : sizes) all += bytes;
  return all;
}

// The numbers in the subtree of `number`, which has itself and the following ones.
inline int subtree(int number, int size) {
  int span = 1;
  while (span < size && number / span % 2 == 0) span *= 2;
  return std::min(span, size - number);
}

// Binomial trees. Numbers are ranks counted from the root. `bytes(first, last)`: of a message to or from the subtree of
// the numbers from `first` to last - 1. With `skip_empty`, empty messages are not sent.
template <typename SubtreeBytes>
void down_a_tree(Plan& plan, int root, const SubtreeBytes& bytes, bool skip_empty = false) {
  const int size = plan.size();
  int span = 1;
  while (span < size) span *= 2;
  for (int half = span / 2; half >= 1; half /= 2) {
    for (int holder = 0; holder + half < size; holder += 2 * half) {
      const Bytes b = bytes(holder + half, std::min(holder + 2 * half, size));
      if (b > 0 || !skip_empty) plan.message((root + holder) % size, (root + holder + half) % size, b);
    }
  }
}

// `received(rank, child, bytes)`: follows each message, at its receiver.
template <typename SubtreeBytes, typename Received>
void up_a_tree(Plan& plan, int root, const SubtreeBytes& bytes, const Received& received) {
  const int size = plan.size();
  for (int half = 1; half < size; half *= 2) {
    for (int holder = 0; holder + half < size; holder += 2 * half) {
      const Bytes b = bytes(holder + half, std::min(holder + 2 * half, size));
      const int to = (root + holder) % size;
      plan.message((root + holder + half) % size, to, b);
      received(to, holder + half, b);
    }
  }
}

// Each of `size` ranks has one block at first, and all blocks in the end. `rank(i)`: the rank with number i.
// Recursive doubling: pairs at distance 1, 2, 4, ... tell each other all that they have.
template <typename Rank>
void gather_by_doubling(Plan& plan, const Sizes& blocks, const Rank& rank) {
  const int size = plan.size();
  std::vector<std::set<int>> has(blocks.size());
  for (int i = 0; i < size; ++i) has[static_cast<std::size_t>(i)] = {i};
  const auto bytes = [&](const std::set<int>& of) {
    Bytes all = 0;
    for (const int i : of) all += blocks[static_cast<std::size_t>(i)];
    return all;
  };
  for (int distance = 1; distance < size; distance *= 2) {
    for (int i = 0; i < size; ++i) {
      const int other = i / distance % 2 == 0 ? i + distance : i - distance;
      if (other < i) continue;
      auto& mine = has[static_cast<std::size_t>(i)];
      auto& theirs = has[static_cast<std::size_t>(other)];
      plan.swap(rank(i), rank(other), bytes(mine), bytes(theirs));
      mine.insert(theirs.begin(), theirs.end());
      theirs = mine;
    }
  }
}

// The ranks that take part if their number is to be a power of two. Of each of the first pairs of neighbours, one rank
// hands its data to the other, which plays for both.
struct Players {
  std::vector<int> rank;                   // of each player
  std::vector<std::vector<int>> of;        // for whom each player plays
  std::vector<std::pair<int, int>> pairs;  // a rank without a pair, and the rank that plays for it
};
enum class Plays { even, odd };

inline Players choose_players(int size, Plays plays) {
  const int power = greatest_power_in(size), pairs = size - power;
  Players p;
  for (int i = 0; i < pairs; ++i) {
    const int player = plays == Plays::even ? 2 * i : 2 * i + 1;
    p.pairs.emplace_back(plays == Plays::even ? 2 * i + 1 : 2 * i, player);
    p.rank.push_back(player);
    p.of.push_back({2 * i, 2 * i + 1});
  }
  for (int rank = 2 * pairs; rank < size; ++rank) {
    p.rank.push_back(rank);
    p.of.push_back({rank});
  }
  return p;
}

}  // namespace emu::reference
