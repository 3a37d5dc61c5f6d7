#include "reference/collectives/rounds.h"

namespace emu::reference {
namespace {

// Cuts a vector into as many parts as there are players, as equal as possible, longer parts first.
Sizes parts_of(const Operands& what, std::size_t players) {
  const auto n = static_cast<Bytes>(players);
  Sizes parts;
  for (Bytes i = 0; i < n; ++i) parts.push_back((what.count / n + (i < what.count % n)) * what.element);
  return parts;
}

struct Range {
  int first, last;  // `last` is excluded

  int middle() const { return (first + last) / 2; }
};

Bytes bytes_of(const Sizes& parts, const Range& r) {
  Bytes all = 0;
  for (int i = r.first; i < r.last; ++i) all += parts[static_cast<std::size_t>(i)];
  return all;
}

// Recursive halving: in each round, a pair divides the range that both still have to reduce; the player with the lower
// number keeps the lower half. `distances`: the distance of the pairs in each round. A player takes a vector of memory,
// and uses all of it if another rank hands its vector over, else the half that it keeps in the first round. Returns the
// final range of each player.
std::vector<Range> scatter_by_halving(Plan& plan, const Players& players, const Sizes& parts,
                                      const std::vector<int>& distances, bool skip_empty) {
  const int n = static_cast<int>(players.rank.size());
  std::vector<Range> left(players.rank.size(), {0, n});
  const Bytes vector = bytes_of(parts, left[0]);
  const auto take = [&](int rank, Bytes kept) {
    const bool joined = std::any_of(players.pairs.begin(), players.pairs.end(),
                                    [&](const auto& pair) { return pair.second == rank; });
    plan.take(rank, joined ? vector : kept, vector);
  };
  for (const int distance : distances) {
    for (int i = 0; i < n; ++i) {
      const int j = i ^ distance;
      if (j < i) continue;
      Range& mine = left[static_cast<std::size_t>(i)];
      Range& theirs = left[static_cast<std::size_t>(j)];
      const int middle = mine.middle();
      const Bytes upper = bytes_of(parts, {middle, mine.last}), lower = bytes_of(parts, {mine.first, middle});
      mine.last = theirs.first = middle;
      const int a = players.rank[static_cast<std::size_t>(i)], b = players.rank[static_cast<std::size_t>(j)];
      if (distance == distances.front()) {
        take(a, lower);
        take(b, upper);
      }
      if (!skip_empty || (upper > 0 && lower > 0)) {
        plan.swap(a, b, upper, lower);
      } else if (upper > 0) {
        plan.message(a, b, upper);
      } else if (lower > 0) {
        plan.message(b, a, lower);
      }
      plan.combine(a, lower);
      plan.combine(b, upper);
    }
  }
  return left;
}

std::vector<int> rising(std::size_t players) {
  std::vector<int> distances;
  for (std::size_t d = 1; d < players; d *= 2) distances.push_back(static_cast<int>(d));
  return distances;
}

std::vector<int> falling(std::size_t players) {
  std::vector<int> distances = rising(players);
  std::reverse(distances.begin(), distances.end());
  return distances;
}

// The ranks without a pair hand their vectors to their players, which reduce them.
void hand_over(Plan& plan, const Players& players, Bytes bytes) {
  for (const auto& [aside, player] : players.pairs) {
    plan.message(aside, player, bytes);
    plan.combine(player, bytes);
  }
}

bool whole(const Operands& what, int size) {
  return !what.predefined || what.count < greatest_power_in(size);
}

}  // namespace

namespace {

// A rank that reduces begins with its own vector in the place of the result, which is temporary memory unless the rank
// is the root, and receives in temporary memory. A leaf of the tree only sends its vector.
Plan reduce_by_tree(int size, int root, const Operands& what, bool in_place) {
  Plan plan(size);
  const Bytes bytes = what.bytes();
  const int top = what.commutative ? root : 0;
  for (int number = 0; number < size; ++number) {
    const int rank = (top + number) % size;
    const bool leaf = subtree(number, size) == 1;
    if (leaf && number > 0) continue;
    if (rank != root) plan.take(rank, bytes);
    if (rank != root || !in_place) plan.copy(rank, bytes);
    if (!leaf) plan.take(rank, bytes);
  }
  up_a_tree(
      plan, top, [&](int, int) { return bytes; },
      [&](int to, int, Bytes) {
        plan.combine(to, bytes);
        if (!what.commutative) plan.copy(to, bytes);
      });
  if (top != root) plan.message(top, root, bytes);
  return plan;
}

}  // namespace

// Rabenseifner's algorithm: halving, neighbours first; then the halves are gathered on the way
// back to the root. A root that takes no part replaces the first player, which sends it its part.
Plan reduce(int size, int root, const Operands& what, bool in_place) {
  Plan plan(size);
  if (what.count == 0) return plan;
  const Bytes bytes = what.bytes();
  if (bytes <= 2048 || whole(what, size)) return reduce_by_tree(size, root, what, in_place);
  Players players = choose_players(size, Plays::even);
  for (const int rank : players.rank) {
    if (rank != root) plan.take(rank, bytes);
    if (rank != root || !in_place) plan.copy(rank, bytes);
  }
  hand_over(plan, players, bytes);
  const Sizes parts = parts_of(what, players.rank.size());
  std::vector<Range> has = scatter_by_halving(plan, players, parts, rising(players.rank.size()), false);
  auto place = std::find(players.rank.begin(), players.rank.end(), root);
  if (place == players.rank.end()) {
    plan.message(players.rank[0], root, bytes_of(parts, has[0]));
    players.rank[0] = root;
    place = players.rank.begin();
  }
  const int target = static_cast<int>(place - players.rank.begin());
  // In each pair, the rank that agrees with the root in this bit receives.
  // Ranks that differ from the root in a higher bit have sent already.
  int agree = 0;
  for (const int distance : falling(players.rank.size())) {
    for (int i = 0; i < static_cast<int>(players.rank.size()); ++i) {
      const int j = i ^ distance;
      if ((i & agree) != (target & agree) || (i & distance) != (target & distance)) continue;
      Range& mine = has[static_cast<std::size_t>(i)];
      const Range& theirs = has[static_cast<std::size_t>(j)];
      plan.message(players.rank[static_cast<std::size_t>(j)], players.rank[static_cast<std::size_t>(i)],
                   bytes_of(parts, theirs));
      mine = {std::min(mine.first, theirs.first), std::max(mine.last, theirs.last)};
    }
    agree |= distance;
  }
  return plan;
}

// Each player begins with its own vector in the result, and receives in temporary memory.
Plan all_reduce(int size, const Operands& what, bool in_place) {
  Plan plan(size);
  if (what.count == 0 && what.commutative) return plan;
  const Bytes bytes = what.bytes();
  const Players players = choose_players(size, Plays::odd);
  const auto& rank = players.rank;
  const bool doubles = bytes <= 8 || whole(what, size);
  for (const int player : rank) {
    if (!in_place) plan.copy(player, bytes);
    if (size > 1 && doubles) plan.take(player, bytes);
  }
  hand_over(plan, players, bytes);
  if (doubles) {
    for (const int distance : rising(rank.size()))
      for (std::size_t i = 0; i < rank.size(); ++i)
        if (const std::size_t j = i ^ static_cast<std::size_t>(distance); i < j) {
          plan.swap(rank[i], rank[j], bytes, bytes);
          for (const int player : {rank[i], rank[j]}) plan.combine(player, bytes);
          if (!what.commutative) plan.copy(rank[i], bytes);  // the operands are in the order of the ranks
        }
  } else {
    const Sizes parts = parts_of(what, rank.size());
    std::vector<Range> has = scatter_by_halving(plan, players, parts, rising(rank.size()), false);
    for (const int distance : falling(rank.size())) {
      for (std::size_t i = 0; i < rank.size(); ++i) {
        const std::size_t j = i ^ static_cast<std::size_t>(distance);
        if (j < i) continue;
        plan.swap(rank[i], rank[j], bytes_of(parts, has[i]), bytes_of(parts, has[j]));
        has[i].last = has[j].last;
        has[j] = has[i];
      }
    }
  }
  for (const auto& [aside, player] : players.pairs) plan.message(player, aside, bytes);
  return plan;
}

namespace {

// In each round, each rank receives its block of another rank in temporary memory, and reduces it. In place, the
// reduced block comes to the beginning by way of temporary memory.
void exchange_blocks(Plan& plan, const Sizes& blocks, bool in_place) {
  const int size = plan.size();
  for (int rank = 0; rank < size; ++rank) {
    const Bytes own = blocks[static_cast<std::size_t>(rank)];
    plan.take(rank, own);
    if (!in_place) plan.copy(rank, own);
    for (int distance = 1; distance < size; ++distance) {
      const int to = (rank + distance) % size;
      plan.both(rank, to, blocks[static_cast<std::size_t>(to)], (rank + size - distance) % size, own);
      plan.combine(rank, own);
    }
    for (int i = 0; in_place && i < 2; ++i) plan.copy(rank, own);
  }
}

// Traeff's butterfly: partners at distance 1, 2, 4, ... exchange halves of their data.
void butterfly(Plan& plan, Bytes bytes) {
  for (int distance = 1; distance < plan.size(); distance *= 2) {
    bytes /= 2;
    for (int rank = 0; rank < plan.size(); ++rank)
      plan.both(rank, rank ^ distance, bytes, rank ^ distance, bytes);
  }
}

// Recursive doubling for operations that keep the order. Groups of a power of two exchange their
// reductions of all blocks but their own. If the second of two groups is short, some ranks of the first have no partner:
// they get the data of the others from the rank half a group before, then a quarter, and so on.
void scatter_by_doubling(Plan& plan, const Sizes& blocks) {
  const int size = plan.size();
  const Bytes all = sum(blocks);
  const auto without = [&](int first, int length) {
    return all - bytes_of(blocks, {first, std::min(first + length, size)});
  };
  for (int group = 1; group < size; group *= 2) {
    for (int first = 0; first + group < size; first += 2 * group) {
      const int second = first + group;
      const Bytes from_first = without(first, group), from_second = without(second, group);
      const int partners = std::min(group, size - second);
      for (int i = 0; i < partners; ++i) plan.swap(first + i, second + i, from_first, from_second);
      std::set<int> has;
      for (int i = 0; i < partners; ++i) has.insert(first + i);
      for (int distance = group / 2; distance >= 1; distance /= 2) {
        const std::set<int> before = has;
        for (const int rank : before) {
          const int other = rank + distance;
          // Only within the part of 2 * distance that the rank is the lower half of.
          if ((rank - first) / distance % 2 == 1 || !has.insert(other).second) continue;
          plan.message(rank, other, from_second);
        }
      }
    }
  }
}

}  // namespace

// The work of operations that do not commute is not in the plan.
Plan reduce_scatter(const Sizes& counts, const Operands& what, bool in_place) {
  const int size = static_cast<int>(counts.size());
  Plan plan(size);
  Sizes blocks;
  for (const Bytes count : counts) blocks.push_back(count * what.element);
  const bool equal = std::all_of(blocks.begin(), blocks.end(), [&](Bytes b) { return b == blocks[0]; });
  const Bytes all = sum(blocks);
  if (!what.commutative && equal && power_of_two(size)) {
    butterfly(plan, all);
    return plan;
  }
  if (all == 0) return plan;
  if (!what.commutative) {
    scatter_by_doubling(plan, blocks);
    return plan;
  }
  if (all >= 524288) {
    exchange_blocks(plan, blocks, in_place);
    return plan;
  }
  const Players players = choose_players(size, Plays::odd);
  for (const int player : players.rank) {
    plan.take(player, all);
    plan.copy(player, all);
  }
  hand_over(plan, players, all);
  Sizes parts;
  for (const auto& of : players.of) {
    parts.push_back(0);
    for (const int rank : of) parts.back() += blocks[static_cast<std::size_t>(rank)];
  }
  scatter_by_halving(plan, players, parts, falling(players.rank.size()), true);
  for (const int player : players.rank) plan.copy(player, blocks[static_cast<std::size_t>(player)]);
  for (const auto& [aside, player] : players.pairs) {
    const Bytes block = blocks[static_cast<std::size_t>(aside)];
    if (block > 0) plan.message(player, aside, block);
  }
  return plan;
}

Plan reduce_scatter_block(int size, const Operands& what, bool in_place) {
  if (what.count == 0) return Plan(size);
  return reduce_scatter(Sizes(static_cast<std::size_t>(size), what.count), what, in_place);
}

namespace {

// Besides its result, a rank has the reduction of the group of ranks that it has heard of, and memory for receiving.
// Only the data of lower ranks are part of the result; without the own vector (`inclusive`), the first of them is
// copied.
Plan scan(int size, const Operands& what, bool inclusive, bool in_place) {
  Plan plan(size);
  const Bytes bytes = what.bytes();
  for (int rank = 0; rank < size && bytes > 0; ++rank) {
    bool begun = inclusive;
    for (int i = 0; i < 2; ++i) plan.take(rank, bytes);
    plan.copy(rank, bytes);
    if (inclusive && !in_place) plan.copy(rank, bytes);
    for (int distance = 1; distance < size; distance *= 2) {
      const int other = rank ^ distance;
      if (other >= size) continue;
      plan.both(rank, other, bytes, other, bytes);
      plan.combine(rank, bytes);
      if (other > rank) {
        if (!what.commutative) plan.copy(rank, bytes);
        continue;
      }
      begun ? plan.combine(rank, bytes) : plan.copy(rank, bytes);
      begun = true;
    }
  }
  return plan;
}

}  // namespace

Plan scan(int size, const Operands& what, bool in_place) { return scan(size, what, true, in_place); }
Plan scan_of_lower(int size, const Operands& what) { return scan(size, what, false, false); }

}  // namespace emu::reference
