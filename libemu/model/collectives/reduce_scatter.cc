// Reduce_scatter and Reduce_scatter_block.
#include <algorithm>
#include <vector>

#include "model/collectives/builder.h"

namespace emu::model {
namespace {

constexpr Bytes kHalvingLimit = 524288;  // bytes in all; below, recursive halving; only if commutative

// The operation as one rank sees it. begin[i]: the start of rank i's part, in bytes, in the whole
// vector.
struct Task {
  int rank;
  int size;
  std::vector<Bytes> begin;
  bool commutative;
  bool in_place;

  Bytes total() const { return begin.back(); }
  Bytes bytes(int i) const { return begin[i + 1] - begin[i]; }
  Slice of(const Slice& whole, int first, int last) const {
    return part(whole, begin[first], begin[last] - begin[first]);
  }
  Slice contributed() const { return contribution(in_place, 0, total()); }
  Slice result() const { return out(0, bytes(rank)); }
};

// As in Allreduce, but farthest neighbours first, and with the given parts: the parts of a folded pair stay
// together.
Schedule halving(const Task& task) {
  Builder build;
  const Fold folding(task.size, /*odd_stays=*/true);
  const int rank = task.rank;
  if (folding.aside(rank)) {
    build.send(folding.partner(rank), task.contributed());
    if (task.bytes(rank) > 0) build.receive(folding.partner(rank), task.result());
    return build.take();
  }
  // Parts of folded numbers first .. last - 1.
  const auto range = [&](const Slice& whole, int first, int last) {
    const auto edge = [&](int i) { return i <= folding.rest ? 2 * i : i + folding.rest; };
    return task.of(whole, edge(first), edge(last));
  };
  const int number = folding.folded(rank);
  const Slice incoming = [&] {
    if (folding.power == 1) return Slice{};
    if (folding.paired(rank)) return build.scratch(task.total());
    // Only the half that is kept in the first step is used.
    const int half = folding.power / 2, first = number & half;
    return build.scratch_for(range(in(0, task.total()), first, first + half), task.total());
  }();
  const Slice sum = build.scratch(task.total());
  build.copy(task.contributed(), sum);
  if (folding.paired(rank)) {
    build.receive(folding.partner(rank), incoming);
    build.combine(incoming, sum);
  }
  int first = 0;
  for (int half = folding.power / 2; half > 0; half /= 2) {
    const bool lower = (number & half) == 0;
    const int kept = lower ? first : first + half;
    const int given = lower ? first + half : first;
    const int peer = folding.unfolded(number ^ half);
    const Slice leaving = range(sum, given, given + half);
    const Slice coming = range(incoming, kept, kept + half);
    if (coming.bytes > 0) build.post_receive(peer, coming);
    if (leaving.bytes > 0) build.post_send(peer, leaving);
    build.wait();
    build.combine(coming, range(sum, kept, kept + half));
    first = kept;
  }
  build.copy(task.of(sum, rank, rank + 1), task.result());
  if (folding.paired(rank) && task.bytes(rank - 1) > 0) {
    build.send(rank - 1, task.of(sum, rank - 1, rank));
  }
  return build.take();
}

Schedule pairwise(const Task& task) {
  Builder build;
  const int rank = task.rank;
  const Slice whole = task.contributed();
  const Slice mine = task.of(whole, rank, rank + 1);
  // In place, the beginning of the output still holds other ranks' parts, so the sum is moved there at the end.
  const Slice sum = task.in_place ? mine : task.result();
  build.copy(mine, sum);
  const Slice incoming = build.scratch(task.bytes(rank));
  for (int round = 1; round < task.size; ++round) {
    const int to = around(rank, round - task.size, task.size);
    build.exchange(to, task.of(whole, to, to + 1), around(rank, -round, task.size), incoming);
    build.combine(incoming, sum);
  }
  if (task.in_place) {
    // By way of scratch: with unequal parts, source and destination may overlap.
    build.copy(sum, incoming);
    build.copy(incoming, task.result());
  }
  return build.take();
}

int mirrored(int number, int bits) {
  int mirror = 0;
  for (int i = 0; i < bits; ++i) mirror |= ((number >> i) & 1) << (bits - 1 - i);
  return mirror;
}

// J. L. Traeff, "An Improved Algorithm for (Non-commutative) Reduce-Scatter with an Application", EuroPVM/MPI 2005:
// with the parts in bit-reversed order, halving with the nearest neighbour first keeps the operands in
// rank order.
Schedule butterfly(const Task& task) {
  Builder build;
  const Bytes block = task.bytes(0);
  const int bits = std::countr_zero(static_cast<unsigned>(task.size));
  Slice sum = build.scratch(task.total());
  Slice incoming = build.scratch(task.total());
  for (int i = 0; i < task.size; ++i) {
    build.copy(task.of(task.contributed(), i, i + 1), part(sum, mirrored(i, bits) * block, block));
  }
  Bytes kept = 0;
  Bytes bytes = task.total();
  for (int mask = 1; mask < task.size; mask <<= 1) {
    const int peer = task.rank ^ mask;
    bytes /= 2;
    const Bytes given = task.rank > peer ? kept : kept + bytes;
    kept = task.rank > peer ? kept + bytes : kept;
    build.exchange(peer, part(sum, given, bytes), peer, part(incoming, kept, bytes));
    if (task.rank > peer) {
      build.combine(part(incoming, kept, bytes), part(sum, kept, bytes));
    } else {
      build.combine(part(sum, kept, bytes), part(incoming, kept, bytes));
      std::swap(sum, incoming);
    }
  }
  build.copy(part(sum, kept, bytes), task.result());
  return build.take();
}

// The whole vector without the parts of some ranks: two pieces that travel as one message.
struct Without {
  Bytes head;        // bytes before
  Bytes tail_begin;  // where the rest begins
  Bytes tail;        // bytes after

  Without(const Task& task, int first, int count)
      : head(task.begin[std::min(first, task.size)]),
        tail_begin(task.begin[std::min(first + count, task.size)]),
        tail(task.total() - tail_begin) {}
  Bytes bytes() const { return head + tail; }
};

// Memory of one message: the pieces are packed for sending, and unpacked to `whole` after
// receiving.
struct RowMemory {
  Slice leaving;
  Slice coming;
  Slice whole;
};

void gather_row(Builder& build, const Slice& from, const Without& pieces, const Slice& row) {
  build.copy(part(from, 0, pieces.head), part(row, 0, pieces.head));
  build.copy(part(from, pieces.tail_begin, pieces.tail), part(row, pieces.head, pieces.tail));
}

void spread_row(Builder& build, const Slice& row, const Without& pieces, const Slice& to) {
  build.copy(part(row, 0, pieces.head), part(to, 0, pieces.head));
  build.copy(part(row, pieces.head, pieces.tail), part(to, pieces.tail_begin, pieces.tail));
}

// In an incomplete tree, some ranks of this half had no partner. The ranks with a partner (the first
// `complete` of the half that begins with `root`) pass the received data on, halving the half
// repeatedly.
bool hand_on(Builder& build, const Task& task, int mask, const Without& got, const RowMemory& row,
             bool received) {
  const int mine = task.rank & ~(mask - 1);
  const int complete = task.size - mine - mask;
  for (int step = mask / 2, group = mask; step > 0; step /= 2, group /= 2) {
    const int peer = task.rank ^ step;
    const int limit = (task.rank & ~(group - 1)) + complete;
    if (peer > task.rank && task.rank < limit && peer >= limit) {
      build.send(peer, part(row.coming, 0, got.bytes()));
    } else if (peer < task.rank && peer < limit && task.rank >= limit) {
      build.receive(peer, part(row.coming, 0, got.bytes()));
      received = true;
    }
  }
  return received;
}

// For noncommutative operations: each rank reduces all parts except those that it knows to be useless for the
// others.
Schedule ordered_doubling(const Task& task) {
  Builder build;
  const Slice sum = build.scratch(task.total());
  const RowMemory row{build.scratch(task.total()), build.scratch(task.total()), build.scratch(task.total())};
  build.copy(task.contributed(), sum);
  for (int mask = 1; mask < task.size; mask <<= 1) {
    const int peer = task.rank ^ mask;
    const int mine = task.rank & ~(mask - 1);
    const int theirs = peer & ~(mask - 1);
    const Without sent(task, mine, mask);
    const Without got(task, theirs, mask);
    bool received = peer < task.size;
    if (received) {
      gather_row(build, sum, sent, row.leaving);
      build.exchange(peer, part(row.leaving, 0, sent.bytes()), peer, part(row.coming, 0, got.bytes()));
    }
    if (theirs + mask > task.size) received = hand_on(build, task, mask, got, row, received);
    if (!received) continue;
    spread_row(build, row.coming, got, row.whole);
    for (const auto& [begin, bytes] : {std::pair{Bytes{0}, got.head}, std::pair{got.tail_begin, got.tail}}) {
      if (task.commutative || theirs < mine) {
        build.combine(part(row.whole, begin, bytes), part(sum, begin, bytes));
      } else {
        build.combine_behind(part(sum, begin, bytes), part(row.whole, begin, bytes));
      }
    }
  }
  build.copy(task.of(sum, task.rank, task.rank + 1), task.result());
  return build.take();
}

// Each part travels once around the ring to its rank, and collects its sum on the way.
Schedule ring_reduce_scatter(const Task& task) {
  Builder build;
  const int size = task.size, left = around(task.rank, -1, size), right = around(task.rank, 1, size);
  Bytes longest = 0;
  for (int i = 0; i < size; ++i) longest = std::max(longest, task.bytes(i));
  const Slice sum = build.scratch(task.total()), incoming = build.scratch(longest);
  build.copy(task.contributed(), sum);
  for (int step = 1; step < size; ++step) {
    const int sent = around(task.rank, -step, size), got = around(sent, -1, size);
    const Slice block = part(incoming, 0, task.bytes(got));
    build.exchange(right, task.of(sum, sent, sent + 1), left, block);
    build.combine(block, task.of(sum, got, got + 1));
  }
  build.copy(task.of(sum, task.rank, task.rank + 1), task.result());
  return build.take();
}

}  // namespace

Schedule reduce_scatter(int rank, int size, std::span<const Bytes> counts, const Reduction& what,
                        bool in_place, Algorithm as) {
  Task task{rank, size, std::vector<Bytes>(size + 1, 0), what.commutative, in_place};
  for (int i = 0; i < size; ++i) task.begin[i + 1] = task.begin[i] + counts[i] * what.element;
  const bool regular = std::all_of(counts.begin(), counts.end(), [&](Bytes n) { return n == counts[0]; });
  // The butterfly does not check for empty data: its messages are then empty.
  if (!what.commutative && regular && is_power(size)) return butterfly(task);
  if (task.total() == 0) return {};
  if (!what.commutative) return ordered_doubling(task);
  if (as == Algorithm::mpich) as = task.total() < kHalvingLimit ? Algorithm::halving : Algorithm::pairwise;
  return as == Algorithm::halving ? halving(task)
         : as == Algorithm::ring  ? ring_reduce_scatter(task)
                                  : pairwise(task);
}

Schedule reduce_scatter_block(int rank, int size, const Reduction& what, bool in_place, Algorithm as) {
  if (what.bytes() == 0) return {};
  const std::vector<Bytes> counts(size, what.count);
  return reduce_scatter(rank, size, counts, what, in_place, as);
}

}  // namespace emu::model
