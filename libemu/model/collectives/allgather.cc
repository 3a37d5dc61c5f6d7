// Allgather and Allgatherv.
#include <algorithm>
#include <vector>

#include "model/collectives/builder.h"

namespace emu::model {
namespace {

constexpr Bytes kBruckTotal = 81920;      // bytes in all; below, Bruck if the size is not a power of two
constexpr Bytes kDoublingTotal = 524288;  // bytes in all; below, recursive doubling if it is a power of two
constexpr Bytes kPipeline = 32768;        // bytes; piece of the ring of allgatherv

Algorithm allgather_algorithm(int size, Bytes total, Algorithm as) {
  if (as == Algorithm::recursive_doubling && !is_power(size)) as = Algorithm::mpich;
  if (as == Algorithm::neighbor_exchange && size % 2 == 1) as = Algorithm::ring;
  if (as != Algorithm::mpich) return as;
  if (is_power(size)) return total < kDoublingTotal ? Algorithm::recursive_doubling : Algorithm::ring;
  return total < kBruckTotal ? Algorithm::bruck : Algorithm::ring;
}

// Positions of consecutive blocks from rank `first` around the circle: begin(n) is the position of the
// n-th block.
class Circle {
 public:
  Circle(std::span<const Block> blocks, int first) : begin_(blocks.size() + 1, 0) {
    const int size = static_cast<int>(blocks.size());
    for (int n = 0; n < size; ++n) begin_[n + 1] = begin_[n] + blocks[(first + n) % size].bytes;
  }
  Bytes begin(int n) const { return begin_[n]; }
  Bytes total() const { return begin_.back(); }
  Slice of(const Slice& whole, int first, int last) const {
    return part(whole, begin_[first], begin_[last] - begin_[first]);
  }

 private:
  std::vector<Bytes> begin_;
};

void doubling_allgather(Builder& build, int rank, int size, const Circle& circle, const Slice& all) {
  for (int mask = 1; mask < size; mask <<= 1) {
    const int mine = rank & ~(mask - 1);
    const int theirs = mine ^ mask;
    build.exchange(rank ^ mask, circle.of(all, mine, mine + mask), rank ^ mask,
                   circle.of(all, theirs, theirs + mask));
  }
}

// Bruck et al., IEEE TPDS 8(11), 1997: each rank collects the blocks around the circle, beginning with its own; the
// last round fetches the rest beyond a power of two.
void bruck_allgather(Builder& build, int rank, int size, const Circle& circle, std::span<const Block> blocks,
                     const Slice& all) {
  for (int held = 1; held < size; held <<= 1) {
    const int wanted = std::min(held, size - held);
    const int source = around(rank, held - size, size);
    build.exchange(around(rank, -held, size), circle.of(all, 0, wanted), source,
                   circle.of(all, held, held + wanted));
  }
  for (int n = 0; n < size; ++n) {
    const Block& place = blocks[(rank + n) % size];
    build.copy(circle.of(all, n, n + 1), out(place.offset, place.bytes));
  }
}

// J. Chen et al., "Performance evaluation of Allgather algorithms on terascale Linux cluster with Fast
// Ethernet", HPC Asia 2005: an even rank exchanges with the following and the preceding rank by turns, an
// odd rank in opposite order; from the second exchange on, each sends the two blocks that it received last.
void neighbor_exchange(Builder& build, int rank, int size, const Circle& circle, const Slice& all) {
  const bool even = rank % 2 == 0;
  const int peers[] = {around(rank, even ? 1 : -1, size), around(rank, even ? -1 : 1, size)};
  build.exchange(peers[0], circle.of(all, rank, rank + 1), peers[0], circle.of(all, peers[0], peers[0] + 1));
  int sent = even ? rank : peers[0];  // the first of two blocks
  int got[] = {sent, sent};
  for (int step = 1; step < size / 2; ++step) {
    const int side = step % 2;
    got[side] = around(got[side], (side == 0) == even ? 2 : -2, size);
    build.exchange(peers[side], circle.of(all, sent, sent + 2), peers[side],
                   circle.of(all, got[side], got[side] + 2));
    sent = got[side];
  }
}

// Progress in one direction of the ring: block after block, each in pieces.
struct Course {
  int block;       // rank of the current block
  Bytes done = 0;  // bytes of it that are done
  Bytes left;      // remaining bytes of all blocks

  Bytes next(std::span<const Block> blocks, Bytes piece) const {
    return left == 0 ? 0 : std::min(piece, blocks[block].bytes - done);
  }
  Slice slice(std::span<const Block> blocks, Bytes bytes) const {
    return out(blocks[block].offset + done, bytes);
  }
  void advance(std::span<const Block> blocks, Bytes bytes) {
    const int size = static_cast<int>(blocks.size());
    left -= bytes;
    done += bytes;
    if (done < blocks[block].bytes) return;
    done = 0;
    block = around(block, -1, size);
  }
};

// Each step sends a piece to the right and receives one from the left, while both directions have pieces. With blocks
// of different lengths, one direction may be ahead of the other.
void pipelined_ring(Builder& build, int rank, std::span<const Block> blocks, Bytes total, Bytes piece) {
  const int size = static_cast<int>(blocks.size());
  const int left = around(rank, -1, size);
  const int right = around(rank, 1, size);
  Course sending{rank, 0, total - blocks[right].bytes};
  Course receiving{left, 0, total - blocks[rank].bytes};
  while (sending.left > 0 || receiving.left > 0) {
    const Bytes sent = sending.next(blocks, piece);
    const Bytes got = receiving.next(blocks, piece);
    if (got > 0) build.post_receive(left, receiving.slice(blocks, got));
    if (sent > 0) build.post_send(right, sending.slice(blocks, sent));
    build.wait();
    sending.advance(blocks, sent);
    receiving.advance(blocks, got);
  }
}

// The pipeline's piece, rounded down to whole elements; at least one.
Bytes piece_size(const Element& element) {
  return std::max<Bytes>(kPipeline / element.extent, 1) * element.size;
}

}  // namespace

Schedule allgather(int rank, int size, Bytes block, bool in_place, Algorithm as) {
  if (block == 0) return {};
  Builder build;
  const Bytes total = size * block;
  as = allgather_algorithm(size, total, as);
  std::vector<Block> blocks(size);
  for (int i = 0; i < size; ++i) blocks[i] = {i * block, block};
  const Slice own = out(rank * block, block);
  const Slice contributed = in_place ? own : in(0, block);
  if (as == Algorithm::bruck) {
    const Slice all = build.scratch(total);
    build.copy(contributed, part(all, 0, block));
    bruck_allgather(build, rank, size, Circle(blocks, rank), blocks, all);
    return build.take();
  }
  build.copy(contributed, own);
  if (as == Algorithm::recursive_doubling) {
    doubling_allgather(build, rank, size, Circle(blocks, 0), out(0, total));
    return build.take();
  }
  if (as == Algorithm::neighbor_exchange) {
    neighbor_exchange(build, rank, size, Circle(blocks, 0), out(0, total));
    return build.take();
  }
  for (int round = 0; round < size - 1; ++round) {
    const int sent = around(rank, -round, size);
    const int got = around(sent, -1, size);
    build.exchange(around(rank, 1, size), out(sent * block, block), around(rank, -1, size),
                   out(got * block, block));
  }
  return build.take();
}

Schedule allgatherv(int rank, int size, std::span<const Block> blocks, Element element, bool in_place,
                    Algorithm as) {
  Builder build;
  const Circle in_order(blocks, 0);
  const Bytes total = in_order.total();
  if (total == 0) return {};
  as = allgather_algorithm(size, total, as);
  const Slice own = out(blocks[rank].offset, blocks[rank].bytes);
  const Slice contributed = in_place ? own : in(0, own.bytes);
  if (as == Algorithm::bruck) {
    const Slice all = build.scratch(total);
    build.copy(contributed, part(all, 0, own.bytes));
    bruck_allgather(build, rank, size, Circle(blocks, rank), blocks, all);
  } else if (as == Algorithm::recursive_doubling || as == Algorithm::neighbor_exchange) {
    // The caller's blocks may have gaps; those of a message must not.
    const Slice all = build.scratch(total);
    build.copy(contributed, in_order.of(all, rank, rank + 1));
    if (as == Algorithm::recursive_doubling)
      doubling_allgather(build, rank, size, in_order, all);
    else
      neighbor_exchange(build, rank, size, in_order, all);
    for (int i = 0; i < size; ++i) {
      if (i == rank && in_place) continue;
      build.copy(in_order.of(all, i, i + 1), out(blocks[i].offset, blocks[i].bytes));
    }
  } else {
    build.copy(contributed, own);
    pipelined_ring(build, rank, blocks, total, piece_size(element));
  }
  return build.take();
}

}  // namespace emu::model
