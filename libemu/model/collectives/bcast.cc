// Barrier and Bcast.
#include <algorithm>
#include <optional>

#include "model/collectives/builder.h"
#include "model/collectives/segmented.h"

namespace emu::model {
namespace {

constexpr int kTreeGroup = 8;                    // ranks; below, always the tree
constexpr Bytes kTreeLimit = 12288;              // bytes; up to here the tree
constexpr Bytes kScatterDoublingLimit = 524288;  // bytes; up to here recursive doubling, on a power of two
constexpr Bytes kPipelineSegment = 65536, kSplitSegment = 8192;  // bytes, by default

Schedule binomial_bcast(int rank, int size, int root, Bytes bytes) {
  Builder build;
  const int number = around(rank, -root, size);
  const int bit = lowest_bit(number, size);
  if (number != 0) build.receive(around(rank, -bit, size), out(0, bytes));
  for (int child = bit / 2; child > 0; child /= 2) {
    if (number + child < size) build.send(around(rank, child, size), out(0, bytes));
  }
  return build.take();
}

// The data in pieces for the scatter: ceil(bytes / size) for each number, so that the last ones may have fewer bytes or
// none.
struct Pieces {
  Bytes bytes;
  Bytes piece;

  Pieces(Bytes bytes, int size) : bytes(bytes), piece((bytes + size - 1) / size) {}
  Slice of(int first, int last) const {
    const Bytes begin = std::min(bytes, first * piece);
    return out(begin, std::min(bytes, last * piece) - begin);
  }
};

void scatter_pieces(Builder& build, int rank, int size, int root, const Pieces& pieces) {
  const int number = around(rank, -root, size);
  const int bit = lowest_bit(number, size);
  const Slice mine = pieces.of(number, std::min(number + bit, size));
  if (number != 0 && mine.bytes > 0) build.receive(around(rank, -bit, size), mine);
  for (int child = bit / 2; child > 0; child /= 2) {
    const int first = number + child;
    if (first >= size) continue;
    const Slice theirs = pieces.of(first, std::min(first + child, size));
    if (theirs.bytes > 0) build.send(around(rank, child, size), theirs);
  }
}

void doubling_of_pieces(Builder& build, int rank, int size, int root, const Pieces& pieces) {
  const int number = around(rank, -root, size);
  for (int mask = 1; mask < size; mask <<= 1) {
    const int mine = number & ~(mask - 1);
    const int theirs = mine ^ mask;
    const int peer = around(number ^ mask, root - size, size);
    build.exchange(peer, pieces.of(mine, mine + mask), peer, pieces.of(theirs, theirs + mask));
  }
}

void ring_of_pieces(Builder& build, int rank, int size, int root, const Pieces& pieces) {
  const int number = around(rank, -root, size);
  for (int round = 0; round < size - 1; ++round) {
    const int sent = around(number, -round, size);
    const int got = around(sent, -1, size);
    build.exchange(around(rank, 1, size), pieces.of(sent, sent + 1), around(rank, -1, size),
                   pieces.of(got, got + 1));
  }
}

void tell(Builder& build, int peer) { build.send(peer, in(0, 0)); }
void hear(Builder& build, int peer) { build.receive(peer, out(0, 0)); }

// Pairs at distances 1, 2, 4, ... of a power of two; each other rank signals one of them before, and waits for it
// after.
Schedule doubling_barrier(int rank, int size) {
  Builder build;
  const Fold folding(size, /*odd_stays=*/false);
  if (folding.aside(rank)) {
    tell(build, folding.partner(rank));
    hear(build, folding.partner(rank));
    return build.take();
  }
  if (folding.paired(rank)) hear(build, folding.partner(rank));
  for (int mask = 1; mask < folding.power; mask <<= 1) {
    const int peer = folding.unfolded(folding.folded(rank) ^ mask);
    build.exchange(peer, in(0, 0), peer, out(0, 0));
  }
  if (folding.paired(rank)) tell(build, folding.partner(rank));
  return build.take();
}

// As doubling_barrier, but the ranks from the power of two on drop out. Their final signal
// is a synchronous send in Open MPI: they answer, and the sender waits for the answer.
Schedule doubling_barrier_by_halves(int rank, int size) {
  Builder build;
  const int power = floor_power(size);
  if (rank >= power) {
    build.exchange(rank - power, in(0, 0), rank - power, out(0, 0));
    tell(build, rank - power);
    return build.take();
  }
  const int aside = rank + power;
  if (aside < size) hear(build, aside);
  for (int mask = 1; mask < power; mask <<= 1) build.exchange(rank ^ mask, in(0, 0), rank ^ mask, out(0, 0));
  if (aside < size) build.exchange(aside, in(0, 0), aside, out(0, 0));
  return build.take();
}

// All ranks signal rank 0, which then signals all.
Schedule linear_barrier(int rank, int size) {
  Builder build;
  if (rank != 0) {
    tell(build, 0);
    hear(build, 0);
    return build.take();
  }
  for (int other = 1; other < size; ++other) build.post_receive(other, out(0, 0));
  build.wait();
  for (int other = 1; other < size; ++other) tell(build, other);
  return build.take();
}

// Up a binomial tree to rank 0, and down again.
Schedule tree_barrier(int rank, int size) {
  Builder build;
  const int bit = lowest_bit(rank, size);
  for (int child = 1; child < bit && rank + child < size; child <<= 1) hear(build, rank + child);
  if (rank != 0) {
    tell(build, rank - bit);
    hear(build, rank - bit);
  }
  for (int child = bit / 2; child > 0; child /= 2)
    if (rank + child < size) tell(build, rank + child);
  return build.take();
}

// The root sends directly to all ranks.
Schedule linear_bcast(int rank, int size, int root, Bytes bytes) {
  Builder build;
  if (rank != root) {
    build.receive(root, out(0, bytes));
    return build.take();
  }
  for (int i = 1; i < size; ++i) build.post_send(around(root, i - size, size), out(0, bytes));
  build.wait();
  return build.take();
}

// The tree of an algorithm that passes the vector in segments.
std::optional<Shape> shape_of_bcast(Algorithm as) {
  switch (as) {
    case Algorithm::pipeline:
      return Shape::chain;
    case Algorithm::chains:
      return Shape::chains;
    case Algorithm::binary:
      return Shape::binary;
    case Algorithm::knomial:
      return Shape::knomial;
    case Algorithm::binomial_doubling:
      return Shape::doubling;
    default:
      return {};
  }
}

Algorithm bcast_algorithm(int size, Bytes bytes, Algorithm as) {
  as = without_nodes(as);
  if (as == Algorithm::scatter_doubling && !is_power(size)) as = Algorithm::mpich;
  if (as != Algorithm::mpich) return as;
  if (bytes <= kTreeLimit || size < kTreeGroup) return Algorithm::binomial;
  return is_power(size) && bytes <= kScatterDoublingLimit ? Algorithm::scatter_doubling
                                                          : Algorithm::scatter_ring;
}

}  // namespace

Schedule barrier(int rank, int size, Algorithm as) {
  if (as == Algorithm::recursive_doubling) return doubling_barrier(rank, size);
  if (as == Algorithm::recursive_doubling_halves) return doubling_barrier_by_halves(rank, size);
  if (as == Algorithm::tree) return tree_barrier(rank, size);
  if (as == Algorithm::linear) return linear_barrier(rank, size);
  Builder build;
  for (int distance = 1; distance < size; distance <<= 1) {
    build.exchange(around(rank, distance, size), in(0, 0), around(rank, -distance, size), out(0, 0));
  }
  return build.take();
}

Schedule bcast(int rank, int size, int root, Bytes bytes, AlgorithmChoice way) {
  if (size == 1 || bytes == 0) return {};
  const Algorithm as = bcast_algorithm(size, bytes, way);
  if (const auto shape = shape_of_bcast(as)) {
    const Bytes usual = as == Algorithm::pipeline ? kPipelineSegment : AlgorithmChoice::whole;
    return bcast_along(*shape, rank, size, root, bytes, way.segment > 0 ? way.segment : usual);
  }
  if (as == Algorithm::split_binary)
    return bcast_split_binary(rank, size, root, bytes, way.segment > 0 ? way.segment : kSplitSegment);
  if (as == Algorithm::binomial) return binomial_bcast(rank, size, root, bytes);
  if (as == Algorithm::linear) return linear_bcast(rank, size, root, bytes);
  Builder build;
  const Pieces pieces(bytes, size);
  scatter_pieces(build, rank, size, root, pieces);
  if (as == Algorithm::scatter_doubling) {
    doubling_of_pieces(build, rank, size, root, pieces);
  } else {
    ring_of_pieces(build, rank, size, root, pieces);
  }
  return build.take();
}

}  // namespace emu::model
