// Exchanges between all ranks.
#include "reference/collectives/rounds.h"

namespace emu::reference {
namespace {

constexpr int at_once = 32;         // maximal number of a rank's messages in progress
constexpr Bytes pipelined = 32768;  // bytes of memory in one message around a ring

// Bruck's algorithm: in each round, each rank passes all its blocks (its own and those after it) to a preceding rank at
// the distance of that many places; in the last round, only the blocks that are missing there.
// The blocks are in temporary memory, in this order, and are then copied one by one to their places.
void gather_around(Plan& plan, const Sizes& blocks) {
  const int size = plan.size();
  const auto bytes = [&](int first, int length) {
    Bytes all = 0;
    for (int i = 0; i < length; ++i) all += blocks[static_cast<std::size_t>((first + i) % size)];
    return all;
  };
  for (int rank = 0; rank < size; ++rank) {
    plan.take(rank, bytes(0, size));
    plan.copy(rank, bytes(rank, 1));
  }
  for (int has = 1; has < size; has *= 2) {
    const int length = std::min(has, size - has);
    for (int rank = 0; rank < size; ++rank) {
      const int source = (rank + has) % size;
      plan.both(rank, (rank + size - has) % size, bytes(rank, length), source, bytes(source, length));
    }
  }
  for (int rank = 0; rank < size; ++rank)
    for (int i = 0; i < size; ++i) plan.copy(rank, bytes(rank + i, 1));
}

// The own block goes to its place in the result.
void place_own(Plan& plan, const Sizes& blocks, bool in_place) {
  for (int rank = 0; rank < plan.size() && !in_place; ++rank)
    plan.copy(rank, blocks[static_cast<std::size_t>(rank)]);
}

// Each rank sends its blocks in pieces, and after them the pieces from its left neighbour. A rank sends the n-th piece
// of this row while it receives the n-th piece of its left neighbour's row.
void gather_by_ring(Plan& plan, const Sizes& blocks, Bytes piece) {
  const int size = plan.size();
  const auto row = [&](int rank) {  // pieces that go to the right
    Sizes pieces;
    for (int i = 0; i + 1 < size; ++i) {
      Bytes left = blocks[static_cast<std::size_t>((rank + size - i) % size)];
      for (; left > piece; left -= piece) pieces.push_back(piece);
      pieces.push_back(left);
    }
    return pieces;
  };
  for (int rank = 0; rank < size; ++rank) {
    const int before = (rank + size - 1) % size;
    const Sizes out = row(rank), in = row(before);
    for (std::size_t i = 0; i < std::max(out.size(), in.size()); ++i) {
      if (i < in.size() && in[i] > 0) plan.receive(rank, before, in[i]);
      if (i < out.size() && out[i] > 0) plan.send(rank, (rank + 1) % size, out[i]);
      plan.wait(rank);
    }
  }
}

// `gaps`: the blocks of a message are in temporary memory, from which they are copied to their places. In place, the own
// block is not copied there.
Plan gather_all(const Sizes& blocks, Bytes piece, bool in_place, bool gaps) {
  Plan plan(static_cast<int>(blocks.size()));
  const Bytes all = sum(blocks);
  if (all == 0) return plan;
  if (all < 524288 && power_of_two(plan.size())) {
    place_own(plan, blocks, in_place && !gaps);
    gather_by_doubling(plan, blocks, [](int i) { return i; });
    for (int rank = 0; gaps && rank < plan.size(); ++rank) {
      plan.take(rank, all);
      for (int i = 0; i < plan.size(); ++i)
        if (i != rank || !in_place) plan.copy(rank, blocks[static_cast<std::size_t>(i)]);
    }
  } else if (all < 81920) {
    gather_around(plan, blocks);
  } else {
    place_own(plan, blocks, in_place);
    gather_by_ring(plan, blocks, piece);
  }
  return plan;
}

// Exchanges of the pairs (0, 1), (0, 2), ..., (1, 2), ... Each rank first copies the block that it sends, to memory for
// the longest block that it receives.
void swap_all(Plan& plan, const Matrix& parts) {
  const auto part = [&](int from, int to) {
    return parts[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
  };
  for (int a = 0; a < plan.size(); ++a) {
    Bytes longest = 0;
    for (int b = 0; b < plan.size(); ++b) longest = std::max(longest, part(b, a));
    plan.take(a, longest);
    for (int b = a + 1; b < plan.size(); ++b) {
      plan.copy(a, part(a, b));
      plan.copy(b, part(b, a));
      plan.swap(a, b, part(a, b), part(b, a));
    }
  }
}

// Each rank asks the ranks after it, itself first, and answers the ranks before it.
void all_at_once(Plan& plan, const Matrix& parts) {
  const int size = plan.size();
  for (int rank = 0; rank < size; ++rank) {
    plan.copy(rank, parts[static_cast<std::size_t>(rank)][static_cast<std::size_t>(rank)]);
    for (int first = 0; first < size; first += at_once) {
      const int last = std::min(first + at_once, size);
      for (int i = first; i < last; ++i) {
        const int from = (rank + i) % size;
        const Bytes part = parts[static_cast<std::size_t>(from)][static_cast<std::size_t>(rank)];
        if (from != rank && part > 0) plan.receive(rank, from, part);
      }
      for (int i = first; i < last; ++i) {
        const int to = (rank + size - i) % size;
        const Bytes part = parts[static_cast<std::size_t>(rank)][static_cast<std::size_t>(to)];
        if (to != rank && part > 0) plan.send(rank, to, part);
      }
      plan.wait(rank);
    }
  }
}

// Bruck's algorithm: a block for the rank i places further takes the steps that are the bits of i. The blocks are in
// temporary memory, in the order of i; a step copies its blocks to a message, and from a message. Consecutive blocks
// are one copy.
void around_in_steps(Plan& plan, Bytes block) {
  const int size = plan.size();
  const Bytes half = (size * block + 1) / 2;
  for (int rank = 0; rank < size; ++rank) {
    for (const Bytes part : {size * block, half, half}) plan.take(rank, part);
    plan.copy(rank, (size - rank) * block);
    plan.copy(rank, rank * block);
    for (int distance = 1; distance < size; distance *= 2) {
      Sizes runs;
      for (int way = distance; way < size; ++way) {
        if (way / distance % 2 == 0) continue;
        if (way % distance == 0) runs.push_back(0);
        runs.back() += block;
      }
      for (const Bytes run : runs) plan.copy(rank, run);
      plan.both(rank, (rank + distance) % size, sum(runs), (rank + size - distance) % size, sum(runs));
      for (const Bytes run : runs) plan.copy(rank, run);
    }
    for (int i = 0; i < size; ++i) plan.copy(rank, block);
  }
}

Matrix equal(int size, Bytes block) {
  const auto n = static_cast<std::size_t>(size);
  return Matrix(n, Sizes(n, block));
}

}  // namespace

Plan all_gather(int size, Bytes block, bool in_place) {
  return gather_all(Sizes(static_cast<std::size_t>(size), block), std::max<Bytes>(block, 1), in_place, false);
}

Plan all_gather_parts(const Sizes& counts, Bytes element, Bytes extent, bool in_place) {
  Sizes blocks;
  for (const Bytes count : counts) blocks.push_back(count * element);
  return gather_all(blocks, std::max<Bytes>(1, pipelined / extent) * element, in_place, true);
}

Plan all_to_all(int size, Bytes block, bool in_place) {
  Plan plan(size);
  if (block == 0) return plan;
  if (in_place) {
    swap_all(plan, equal(size, block));
  } else if (size > 8 && block <= 256) {
    around_in_steps(plan, block);
  } else if (block <= 32768) {
    all_at_once(plan, equal(size, block));
  } else {
    for (int rank = 0; rank < size; ++rank) plan.copy(rank, block);
    for (int distance = 1; distance < size; ++distance) {
      for (int rank = 0; rank < size; ++rank) {
        const int to = power_of_two(size) ? rank ^ distance : (rank + distance) % size;
        const int from = power_of_two(size) ? to : (rank + size - distance) % size;
        plan.both(rank, to, block, from, block);
      }
    }
  }
  return plan;
}

Plan all_to_all_parts(const Matrix& parts, bool in_place) {
  Plan plan(static_cast<int>(parts.size()));
  if (in_place) {
    swap_all(plan, parts);
  } else {
    all_at_once(plan, parts);
  }
  return plan;
}

}  // namespace emu::reference
