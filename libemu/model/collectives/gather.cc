// Gather, Gatherv, Scatter, Scatterv.
#include <algorithm>
#include <vector>

#include "model/collectives/builder.h"

namespace emu::model {
namespace {

// Blocks in a subtree of the binomial tree: numbers (ranks counted from the root) number .. number +
// width - 1, as far as they exist.
Bytes blocks_below(int number, int width, int size) { return std::min(width, size - number); }

// The blocks of numbers first .. first + count - 1, in rank order in `whole`: one piece, or two if they
// wrap around.
struct Wrapped {
  Slice head;
  Slice tail;
};

Wrapped wrapped(const Slice& whole, int first_rank, Bytes count, int size, Bytes block) {
  const Bytes head = std::min<Bytes>(count, size - first_rank);
  return {part(whole, first_rank * block, head * block), part(whole, 0, (count - head) * block)};
}

void receive_at_root(Builder& build, int source, Bytes count, int size, Bytes block) {
  const auto [head, tail] = wrapped(out(0, size * block), source, count, size, block);
  if (tail.bytes == 0) return build.receive(source, head);
  const Slice both = build.scratch(count * block);
  build.receive(source, both);
  build.copy(part(both, 0, head.bytes), head);
  build.copy(part(both, head.bytes, tail.bytes), tail);
}

std::vector<Block> equal(int size, Bytes block) {
  std::vector<Block> blocks(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) blocks[static_cast<std::size_t>(i)] = {i * block, block};
  return blocks;
}

}  // namespace

Schedule gather(int rank, int size, int root, Bytes block, bool in_place, Algorithm as) {
  if (block == 0) return {};
  if (as == Algorithm::linear) return gatherv(rank, size, root, block, equal(size, block), in_place);
  Builder build;
  const int number = around(rank, -root, size);
  const int bit = lowest_bit(number, size);
  const Bytes held = blocks_below(number, bit, size);
  Slice mine = in(0, block);
  if (rank == root) {
    if (!in_place) build.copy(mine, out(rank * block, block));
  } else if (held > 1) {
    mine = build.scratch(held * block);
    build.copy(in(0, block), part(mine, 0, block));
  }
  for (int child = 1; child < bit && number + child < size; child <<= 1) {
    const int source = around(rank, child, size);
    const Bytes count = blocks_below(number + child, child, size);
    if (rank == root) {
      receive_at_root(build, source, count, size, block);
    } else {
      build.receive(source, part(mine, child * block, count * block));
    }
  }
  if (rank != root) build.send(around(rank, -bit, size), mine);
  return build.take();
}

Schedule gatherv(int rank, int size, int root, Bytes own, std::span<const Block> blocks, bool in_place) {
  Builder build;
  if (rank != root) {
    if (own > 0) build.send(root, in(0, own));
    return build.take();
  }
  for (int source = 0; source < size; ++source) {
    const Slice place = out(blocks[source].offset, blocks[source].bytes);
    if (place.bytes == 0) continue;
    if (source != rank) {
      build.post_receive(source, place);
    } else if (!in_place) {
      build.copy(in(0, place.bytes), place);
    }
  }
  build.wait();
  return build.take();
}

Schedule scatter(int rank, int size, int root, Bytes block, bool in_place, Algorithm as) {
  if (block == 0) return {};
  if (as == Algorithm::linear) return scatterv(rank, size, root, equal(size, block), block, in_place);
  Builder build;
  const int number = around(rank, -root, size);
  const int bit = lowest_bit(number, size);
  const Bytes held = blocks_below(number, bit, size);
  Slice mine = out(0, block);
  if (rank == root) {
    mine = in(0, size * block);
    if (root != 0) {
      // In tree order, so that each subtree's blocks are one message.
      const auto [head, tail] = wrapped(mine, root, size, size, block);
      mine = build.scratch(size * block);
      build.copy(head, part(mine, 0, head.bytes));
      build.copy(tail, part(mine, head.bytes, tail.bytes));
    }
  } else {
    if (held > 1) mine = build.scratch(held * block);
    build.receive(around(rank, -bit, size), mine);
  }
  for (int child = bit / 2; child > 0; child /= 2) {
    if (number + child >= size) continue;
    build.send(around(rank, child, size),
               part(mine, child * block, blocks_below(number + child, child, size) * block));
  }
  if (rank != root || !in_place) build.copy(part(mine, 0, block), out(0, block));
  return build.take();
}

Schedule scatterv(int rank, int size, int root, std::span<const Block> blocks, Bytes own, bool in_place) {
  Builder build;
  if (rank != root) {
    if (own > 0) build.receive(root, out(0, own));
    return build.take();
  }
  for (int target = 0; target < size; ++target) {
    const Slice piece = in(blocks[target].offset, blocks[target].bytes);
    if (piece.bytes == 0) continue;
    if (target != rank) {
      build.post_send(target, piece);
    } else if (!in_place) {
      build.copy(piece, out(0, piece.bytes));
    }
  }
  build.wait();
  return build.take();
}

}  // namespace emu::model
