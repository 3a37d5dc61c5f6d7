// Barrier, broadcast, and the other operations with a root.
#include "reference/collectives/rounds.h"

namespace emu::reference {

// In round k each rank sends to the rank 2^k places further.
Plan barrier(int size) {
  Plan plan(size);
  for (int distance = 1; distance < size; distance *= 2)
    for (int rank = 0; rank < size; ++rank)
      plan.both(rank, (rank + distance) % size, 0, (rank + size - distance) % size, 0);
  return plan;
}

// Long data is scattered in equal pieces, of which the last ones may be short or empty, and gathered by all.
Plan broadcast(int size, int root, Bytes bytes) {
  Plan plan(size);
  if (bytes == 0) return plan;
  if (size < 8 || bytes <= 12288) {
    down_a_tree(plan, root, [&](int, int) { return bytes; });
    return plan;
  }
  const Bytes piece = (bytes + size - 1) / size;
  const auto begin = [&](int number) { return std::min(number * piece, bytes); };
  down_a_tree(
      plan, root, [&](int first, int last) { return begin(last) - begin(first); }, true);
  Sizes pieces;
  for (int i = 0; i < size; ++i) pieces.push_back(begin(i + 1) - begin(i));
  const auto rank = [&](int number) { return (root + number) % size; };
  if (power_of_two(size) && bytes <= 524288) {
    gather_by_doubling(plan, pieces, rank);
    return plan;
  }
  // Around the ring each rank first sends its own piece, and then the piece that it received last.
  for (int step = 0; step + 1 < size; ++step) {
    for (int number = 0; number < size; ++number) {
      const auto out = static_cast<std::size_t>((number + size - step) % size);
      const auto in = static_cast<std::size_t>((number + 2 * size - 1 - step) % size);
      plan.both(rank(number), rank((number + 1) % size), pieces[out], rank((number + size - 1) % size),
                pieces[in]);
    }
  }
  return plan;
}

// A rank with others below it collects the blocks in temporary memory. At the root, blocks that continue with the block
// of the first rank come to temporary memory, and go from there to both places.
Plan gather(int size, int root, Bytes block, bool in_place) {
  Plan plan(size);
  if (block == 0) return plan;
  for (int number = 0; number < size; ++number) {
    const int rank = (root + number) % size, held = subtree(number, size);
    if (number > 0 && held > 1) plan.take(rank, held * block);
    if (number > 0 ? held > 1 : !in_place) plan.copy(rank, block);
  }
  up_a_tree(
      plan, root, [&](int first, int last) { return (last - first) * block; },
      [&](int to, int child, Bytes bytes) {
        const Bytes before = (size - (root + child) % size) * block;
        if (to != root || bytes <= before) return;
        plan.take(root, bytes);
        plan.copy(root, before);
        plan.copy(root, bytes - before);
      });
  return plan;
}

// A root other than the first rank puts the blocks in the order of the tree.
Plan scatter(int size, int root, Bytes block, bool in_place) {
  Plan plan(size);
  if (block == 0) return plan;
  if (root != 0) {
    plan.take(root, size * block);
    plan.copy(root, (size - root) * block);
    plan.copy(root, root * block);
  }
  down_a_tree(plan, root, [&](int first, int last) { return (last - first) * block; });
  for (int number = 0; number < size; ++number) {
    const int rank = (root + number) % size, held = subtree(number, size);
    if (number > 0 && held > 1) plan.take(rank, held * block);
    if (number > 0 ? held > 1 : !in_place) plan.copy(rank, block);
  }
  return plan;
}

Plan gather_parts(int root, const Sizes& parts, bool in_place) {
  Plan plan(static_cast<int>(parts.size()));
  for (int rank = 0; rank < plan.size(); ++rank) {
    const Bytes part = parts[static_cast<std::size_t>(rank)];
    if (rank == root && !in_place) plan.copy(rank, part);
    if (rank == root || part == 0) continue;
    plan.receive(root, rank, part);
    plan.send(rank, root, part);
    plan.wait(rank);
  }
  plan.wait(root);
  return plan;
}

Plan scatter_parts(int root, const Sizes& parts, bool in_place) {
  Plan plan(static_cast<int>(parts.size()));
  for (int rank = 0; rank < plan.size(); ++rank) {
    const Bytes part = parts[static_cast<std::size_t>(rank)];
    if (rank == root && !in_place) plan.copy(rank, part);
    if (rank == root || part == 0) continue;
    plan.send(root, rank, part);
    plan.receive(rank, root, part);
    plan.wait(rank);
  }
  plan.wait(root);
  return plan;
}

}  // namespace emu::reference
