// Reduce and Allreduce.
#include <optional>

#include "model/collectives/segmented.h"
#include "model/openmpi.h"

namespace emu::model {
namespace {

constexpr Bytes kReduceTreeLimit = 2048;      // bytes; up to here Reduce uses the tree
constexpr Bytes kSegment = 32768;             // bytes of a pipeline or a binary tree, by default
constexpr Bytes kAllreduceDoublingLimit = 8;  // bytes; up to here Allreduce uses recursive doubling

// A vector is cut only if each part gets an element. MPICH cuts none for an operation of the program; a library whose
// algorithm the target names does.
bool can_be_cut(int size, const Reduction& what, Algorithm named) {
  return what.commutative && (what.predefined || named != Algorithm::mpich) &&
         what.count >= floor_power(size);
}

// The tree is rooted in rank 0 if the order of operands matters; rank 0 then sends the result to the root.
Schedule binomial_reduce(int rank, int size, int root, const Reduction& what, bool in_place) {
  Builder build;
  const Bytes bytes = what.bytes();
  const int top = what.commutative ? root : 0;
  const int number = around(rank, -top, size);
  const Slice own = contribution(in_place && rank == root, 0, bytes);
  const bool leaf = number % 2 == 1 || number + 1 >= size;
  Slice sum = own;  // a leaf sends its contribution from its place
  if (!leaf || number == 0) {
    sum = rank == root ? out(0, bytes) : build.scratch(bytes);
    build.copy(own, sum);
  }
  const Slice incoming = leaf ? Slice{} : build.scratch(bytes);
  for (int mask = 1; mask < size; mask <<= 1) {
    if (number & mask) {
      build.send(around(number & ~mask, top - size, size), sum);
      break;
    }
    if ((number | mask) >= size) continue;
    build.receive(around(number | mask, top - size, size), incoming);
    if (what.commutative) {
      build.combine(incoming, sum);
    } else {
      build.combine_behind(sum, incoming);
    }
  }
  if (top != root && rank == top) build.send(root, sum);
  if (top != root && rank == root) build.receive(top, out(0, bytes));
  return build.take();
}

// Ranks that drop out send their contributions to their partners.
void fold(Builder& build, const Fold& folding, int rank, const Slice& sum, const Slice& incoming) {
  if (!folding.paired(rank)) return;
  if (folding.aside(rank)) {
    build.send(folding.partner(rank), sum);
  } else {
    build.receive(folding.partner(rank), incoming);
    build.combine(incoming, sum);
  }
}

struct Range {
  int first;
  int last;
};

// Memory for received parts of the vector. A rank without a partner uses only the half that it keeps in the first step of
// halving.
Slice received_parts(Builder& build, const Fold& folding, int rank, const Cut& cut, Bytes bytes) {
  if (folding.paired(rank)) return build.scratch(bytes);
  const int half = folding.power / 2, first = folding.folded(rank) % 2 == 0 ? 0 : half;
  return build.scratch_for(cut.of(in(0, bytes), first, first + half), bytes);
}

// Reduce-scatter by recursive halving, nearest neighbours first: each step halves the range of parts of this rank;
// a rank with a zero in that bit keeps the lower half. Returns the last
// range, one part.
Range halve(Builder& build, const Fold& folding, int number, const Cut& cut, const Slice& sum,
            const Slice& incoming) {
  Range range{0, cut.parts};
  for (int mask = 1; mask < folding.power; mask <<= 1) {
    const int middle = (range.first + range.last) / 2;
    const bool lower = (number & mask) == 0;
    const Range sent = lower ? Range{middle, range.last} : Range{range.first, middle};
    range = lower ? Range{range.first, middle} : Range{middle, range.last};
    const int peer = folding.unfolded(number ^ mask);
    build.exchange(peer, cut.of(sum, sent.first, sent.last), peer, cut.of(incoming, range.first, range.last));
    build.combine(cut.of(incoming, range.first, range.last), cut.of(sum, range.first, range.last));
  }
  return range;
}

// The half that the partner kept in the step with this mask.
Range sibling(const Range& range, int number, int mask) {
  const int length = range.last - range.first;
  return (number & mask) == 0 ? Range{range.last, range.last + length}
                              : Range{range.first - length, range.first};
}

Range join(const Range& a, const Range& b) {
  return a.first < b.first ? Range{a.first, b.last} : Range{b.first, a.last};
}

// The reverse, farthest neighbours first: in each pair, the rank nearer to the root takes over the other's range.
void gather_parts(Builder& build, const Fold& folding, int number, int root, Range range, const Cut& cut,
                  const Slice& sum) {
  const bool root_aside = folding.aside(root);
  const int root_number = root_aside ? 0 : folding.folded(root);
  for (int bit = folding.power / 2; bit > 0; bit /= 2) {
    const int other = number ^ bit;
    const int peer = root_aside && other == 0 ? root : folding.unfolded(other);
    if (other / bit == root_number / bit) {
      build.send(peer, cut.of(sum, range.first, range.last));
      return;
    }
    const Range got = sibling(range, number, bit);
    build.receive(peer, cut.of(sum, got.first, got.last));
    range = join(range, got);
  }
}

// Rabenseifner. The even rank of a pair continues, so that rank 0, the usual root, never drops
// out.
Schedule reduce_scatter_gather(int rank, int size, int root, const Reduction& what, bool in_place) {
  Builder build;
  const Fold folding(size, /*odd_stays=*/false);
  const Cut cut{what.count, what.element, folding.power};
  const Slice own = contribution(in_place && rank == root, 0, what.bytes());
  if (folding.aside(rank) && rank != root) {
    build.send(folding.partner(rank), own);
    return build.take();
  }
  const Slice sum = rank == root ? out(0, what.bytes()) : build.scratch(what.bytes());
  if (folding.aside(rank)) {
    // The root dropped out: it replaces rank 0 for the gather, and takes over the first part.
    build.send(folding.partner(rank), own);
    build.receive(0, cut.of(sum, 0, 1));
    gather_parts(build, folding, 0, root, {0, 1}, cut, sum);
    return build.take();
  }
  build.copy(own, sum);
  if (size == 1) return build.take();
  const Slice incoming = received_parts(build, folding, rank, cut, what.bytes());
  fold(build, folding, rank, sum, incoming);
  const int number = folding.folded(rank);
  const Range range = halve(build, folding, number, cut, sum, incoming);
  if (folding.aside(root) && number == 0) {
    build.send(root, cut.of(sum, 0, 1));
    return build.take();
  }
  gather_parts(build, folding, number, root, range, cut, sum);
  return build.take();
}

void double_up(Builder& build, const Fold& folding, int rank, const Reduction& what, const Slice& sum,
               const Slice& incoming) {
  const int number = folding.folded(rank);
  for (int mask = 1; mask < folding.power; mask <<= 1) {
    const int peer = folding.unfolded(number ^ mask);
    build.exchange(peer, sum, peer, incoming);
    if (what.commutative || peer < rank) {
      build.combine(incoming, sum);
    } else {
      build.combine_behind(sum, incoming);
    }
  }
}

void halve_and_gather(Builder& build, const Fold& folding, int rank, const Cut& cut, const Slice& sum,
                      const Slice& incoming) {
  const int number = folding.folded(rank);
  Range range = halve(build, folding, number, cut, sum, incoming);
  for (int mask = folding.power / 2; mask > 0; mask /= 2) {
    const int peer = folding.unfolded(number ^ mask);
    const Range got = sibling(range, number, mask);
    build.exchange(peer, cut.of(sum, range.first, range.last), peer, cut.of(sum, got.first, got.last));
    range = join(range, got);
  }
}

// All ranks send directly to the root, which combines in rank order.
Schedule linear_reduce(int rank, int size, int root, const Reduction& what, bool in_place) {
  Builder build;
  if (rank != root) {
    build.send(root, in(0, what.bytes()));
    return build.take();
  }
  const Slice sum = out(0, what.bytes());
  Slice own = contribution(in_place, 0, what.bytes());
  if (in_place && root != 0) {  // the place of the result
    own = build.scratch(what.bytes());
    build.copy(sum, own);
  }
  const Slice incoming = build.scratch(what.bytes());
  const auto of = [&](int i, const Slice& into) {
    if (i == rank)
      build.copy(own, into);
    else
      build.receive(i, into);
  };
  of(0, sum);
  for (int i = 1; i < size; ++i) {
    of(i, incoming);
    build.combine_behind(sum, incoming);
  }
  return build.take();
}

// Reduction to rank 0 and broadcast, each with its own algorithm.
Schedule by_rank_0(int rank, int size, const Reduction& what, bool in_place, AlgorithmChoice up = {},
                   AlgorithmChoice down = {}) {
  Builder build;
  const Slice result = out(0, what.bytes());
  build.nest(reduce(rank, size, 0, what, in_place && rank == 0, up), 0,
             contribution(in_place, 0, what.bytes()), result);
  build.nest(bcast(rank, size, 0, what.bytes(), down), 0, {}, result);
  return build.take();
}

// The tree of an algorithm that reduces the vector in segments.
std::optional<Shape> shape_of_reduce(const AlgorithmChoice& way) {
  switch (way.algorithm) {
    case Algorithm::pipeline:
      return Shape::chain;
    case Algorithm::chains:
      return Shape::chains;
    case Algorithm::binary:
      return Shape::binary;
    case Algorithm::binomial:
      if (way.segment > 0) return Shape::binomial;
      return {};
    default:
      return {};
  }
}

// Part by part around the ring: every part collects its sum on the first round and is distributed on the second (P.
// Patarasuk, X. Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", JPDC 69(2), 2009).
Schedule ring_allreduce(int rank, int size, const Reduction& what, bool in_place) {
  Builder build;
  const Cut cut{what.count, what.element, size};
  const Slice sum = out(0, what.bytes());
  build.copy(contribution(in_place, 0, what.bytes()), sum);
  const int left = around(rank, -1, size), right = around(rank, 1, size);
  const auto own = [&](int steps_back) {
    const int part = around(rank, -steps_back, size);
    return cut.of(sum, part, part + 1);
  };
  Bytes longest = 0;
  for (int part = 0; part < size; ++part) longest = std::max(longest, cut.of(sum, part, part + 1).bytes);
  const Slice incoming = build.scratch(longest);
  for (int step = 0; step < size - 1; ++step) {
    const Slice part{incoming.space, incoming.offset, own(step + 1).bytes};
    build.exchange(right, own(step), left, part);
    build.combine(part, own(step + 1));
  }
  for (int step = -1; step < size - 2; ++step) build.exchange(right, own(step), left, own(step + 1));
  return build.take();
}

}  // namespace

Schedule reduce(int rank, int size, int root, const Reduction& what, bool in_place, AlgorithmChoice way) {
  if (what.bytes() == 0) return {};
  Algorithm as = without_nodes(way);
  if (const auto shape = shape_of_reduce(way)) {
    if (what.commutative)
      return reduce_in_segments(*shape, rank, size, root, what, way.segment > 0 ? way.segment : kSegment,
                                in_place);
    as = Algorithm::mpich;
  }
  const bool cuts = can_be_cut(size, what, as);
  if (as == Algorithm::mpich)
    as = what.bytes() <= kReduceTreeLimit ? Algorithm::binomial : Algorithm::rabenseifner;
  if (as == Algorithm::linear) return linear_reduce(rank, size, root, what, in_place);
  if (as == Algorithm::binomial || !cuts) return binomial_reduce(rank, size, root, what, in_place);
  return reduce_scatter_gather(rank, size, root, what, in_place);
}

Schedule allreduce(int rank, int size, const Reduction& what, bool in_place, Algorithm as) {
  // For a noncommutative operation MPICH does send empty messages.
  if (what.bytes() == 0 && what.commutative) return {};
  as = without_nodes(as);
  if (as == Algorithm::reduce_bcast) return by_rank_0(rank, size, what, in_place);
  if (as == Algorithm::reduce_bcast_openmpi) {
    const Bytes bytes = what.bytes();
    return by_rank_0(rank, size, what, in_place,
                     openmpi_4_1({Collective::reduce, bytes, size, what.count, what.commutative}),
                     openmpi_4_1({Collective::bcast, bytes, size}));
  }
  if (!can_be_cut(size, what, as)) as = Algorithm::recursive_doubling;
  if (as == Algorithm::ring) return ring_allreduce(rank, size, what, in_place);
  if (as == Algorithm::mpich)
    as = what.bytes() <= kAllreduceDoublingLimit ? Algorithm::recursive_doubling : Algorithm::rabenseifner;
  Builder build;
  // The odd rank of a pair continues: a_even op a_odd is then Reduce_local of the received data and its
  // own.
  const Fold folding(size, /*odd_stays=*/true);
  const Slice sum = out(0, what.bytes());
  if (folding.aside(rank)) {
    build.send(folding.partner(rank), contribution(in_place, 0, what.bytes()));
    build.receive(folding.partner(rank), sum);
    return build.take();
  }
  build.copy(contribution(in_place, 0, what.bytes()), sum);
  if (size == 1) return build.take();
  const Cut cut{what.count, what.element, folding.power};
  const bool doubles = as == Algorithm::recursive_doubling;
  const Slice incoming =
      doubles ? build.scratch(what.bytes()) : received_parts(build, folding, rank, cut, what.bytes());
  fold(build, folding, rank, sum, incoming);
  if (doubles) {
    double_up(build, folding, rank, what, sum, incoming);
  } else {
    halve_and_gather(build, folding, rank, cut, sum, incoming);
  }
  if (folding.paired(rank)) build.send(folding.partner(rank), sum);
  return build.take();
}

}  // namespace emu::model
