// Reduce_scatter and Reduce_scatter_block.
#include <algorithm>
#include <vector>

#include "model/collectives/builder.h"
#include "model/openmpi.h"

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
  bool block;  // Reduce_scatter_block

  Bytes total() const { return begin.back(); }
  Bytes bytes(int i) const { return begin[i + 1] - begin[i]; }
  Slice of(const Slice& whole, int first, int last) const {
    return part(whole, begin[first], begin[last] - begin[first]);
  }
  // The parts of folded numbers first .. last - 1.
  Slice of_numbers(const Fold& folding, const Slice& whole, int first, int last) const {
    const auto edge = [&](int i) { return i <= folding.rest ? 2 * i : i + folding.rest; };
    return of(whole, edge(first), edge(last));
  }
  Slice contributed() const { return contribution(in_place, 0, total()); }
  Slice result() const { return out(0, bytes(rank)); }
};

// Memory in which a rank receives: the half of the numbers that it keeps in the first step, or all of the vector of
// its partner.
Slice memory_to_halve(Builder& build, const Task& task, const Fold& folding, bool upper) {
  if (folding.power == 1) return {};
  if (folding.paired(task.rank)) return build.scratch(task.total());
  const int half = folding.power / 2, first = upper ? half : 0;
  return build.scratch_for(task.of_numbers(folding, in(0, task.total()), first, first + half), task.total());
}

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
  const int number = folding.folded(rank);
  const Slice incoming = memory_to_halve(build, task, folding, number >= folding.power / 2);
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
    const Slice leaving = task.of_numbers(folding, sum, given, given + half);
    const Slice coming = task.of_numbers(folding, incoming, kept, kept + half);
    if (coming.bytes > 0) build.post_receive(peer, coming);
    if (leaving.bytes > 0) build.post_send(peer, leaving);
    build.wait();
    build.combine(coming, task.of_numbers(folding, sum, kept, kept + half));
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
// halving with the nearest neighbour first keeps the operands in rank order, but leaves each number with the parts of
// its mirrored number. `permutes`: the parts are copied to mirrored places first; they are equal, and the number of
// ranks is a power of two. Otherwise each part is sent to its rank at the end.
Schedule butterfly(const Task& task, bool permutes) {
  Builder build;
  const Fold folding(task.size, /*odd_stays=*/true);
  const int rank = task.rank, number = folding.folded(rank);
  const int bits = std::countr_zero(static_cast<unsigned>(folding.power));
  Slice sum = build.scratch(task.total());
  for (int i = 0; permutes && i < task.size; ++i) {
    const int place = mirrored(i, bits);
    build.copy(task.of(task.contributed(), i, i + 1), task.of(sum, place, place + 1));
  }
  if (!permutes) build.copy(task.contributed(), sum);
  if (folding.aside(rank)) {
    build.send(folding.partner(rank), sum);
    build.receive(folding.unfolded(mirrored(number, bits)), task.result());
    return build.take();
  }
  Slice incoming = memory_to_halve(build, task, folding, number % 2);
  if (folding.paired(rank)) {
    build.receive(folding.partner(rank), incoming);
    build.combine(incoming, sum);
  }
  int first = 0;
  for (int mask = 1, half = folding.power / 2; half > 0; mask *= 2, half /= 2) {
    const bool lower = (number & mask) == 0;
    const int kept = lower ? first : first + half, given = lower ? first + half : first;
    const int peer = folding.unfolded(number ^ mask);
    const Slice own = task.of_numbers(folding, sum, kept, kept + half);
    const Slice coming = task.of_numbers(folding, incoming, kept, kept + half);
    build.exchange(peer, task.of_numbers(folding, sum, given, given + half), peer, coming);
    if (lower) {
      build.combine(own, coming);
      std::swap(sum, incoming);
    } else {
      build.combine(coming, own);
    }
    first = kept;
  }
  if (permutes) {
    build.copy(task.of(sum, first, first + 1), task.result());
    return build.take();
  }
  const int owner = folding.unfolded(first);
  const Slice owned = task.of(sum, owner, owner + 1);
  if (folding.paired(owner)) build.send(owner - 1, task.of(sum, owner - 1, owner));
  if (owner == rank) {
    build.copy(owned, task.result());
  } else {
    build.exchange(owner, owned, owner, task.result());
  }
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

// Keeps the order of operands. Each rank reduces all parts except those that it knows to be useless for the
// others.
Schedule scatter_by_doubling(const Task& task) {
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

// A reduction to rank 0, then a scatter, each by Open MPI 4.1's choice; its scatter of unequal parts is linear.
Schedule reduce_then_scatter(const Task& task, const Reduction& what) {
  Builder build;
  const int rank = task.rank, size = task.size;
  const Bytes total = task.total();
  // Reduce_scatter_block reduces to memory also in place.
  const bool stays = task.in_place && !task.block;
  const Slice sum = rank > 0 ? Slice{} : stays ? out(0, total) : build.scratch(total);
  const Reduction whole{total / what.element, what.element, what.commutative, what.predefined};
  const AlgorithmChoice up = openmpi_4_1({Collective::reduce, total, size, whole.count, whole.commutative});
  build.nest(reduce(rank, size, 0, whole, rank == 0 && stays, up), 0, task.contributed(), sum);
  if (task.block) {
    const AlgorithmChoice down =
        openmpi_4_1({.operation = Collective::gather, .bytes = total, .ranks = size, .scatters = true});
    build.nest(scatter(rank, size, 0, task.bytes(0), false, down), 0, sum, task.result());
    return build.take();
  }
  std::vector<Block> blocks;
  for (int i = 0; rank == 0 && i < size; ++i) blocks.push_back({task.begin[i], task.bytes(i)});
  build.nest(scatterv(rank, size, 0, blocks, task.bytes(rank), stays), 0, sum, task.result());
  return build.take();
}

Algorithm mpichs_choice(const Task& task) {
  if (!task.commutative) return Algorithm::recursive_doubling;
  return task.total() < kHalvingLimit ? Algorithm::halving : Algorithm::pairwise;
}

Schedule schedule(const Task& task, const Reduction& what, Algorithm as) {
  as = !task.commutative && needs_commutative(as) ? Algorithm::mpich : without_nodes(as);
  bool equal = true;
  for (int i = 1; i < task.size; ++i) equal = equal && task.bytes(i) == task.bytes(0);
  // This butterfly does not check for empty data: its messages are then empty.
  if (as == Algorithm::mpich && !task.commutative && equal && is_power(task.size))
    return butterfly(task, /*permutes=*/true);
  if (task.total() == 0) return {};
  switch (as == Algorithm::mpich ? mpichs_choice(task) : as) {
    case Algorithm::butterfly:
      return butterfly(task, task.block && is_power(task.size));
    case Algorithm::halving:
      return halving(task);
    case Algorithm::recursive_doubling:
      return scatter_by_doubling(task);
    case Algorithm::reduce_scatter_openmpi:
      return reduce_then_scatter(task, what);
    case Algorithm::ring:
      return ring_reduce_scatter(task);
    default:
      return pairwise(task);
  }
}

Task task_of(int rank, std::span<const Bytes> counts, const Reduction& what, bool in_place, bool block) {
  Task task{rank, static_cast<int>(counts.size()), {0}, what.commutative, in_place, block};
  for (const Bytes count : counts) task.begin.push_back(task.total() + count * what.element);
  return task;
}

}  // namespace

Schedule reduce_scatter(int rank, int size, std::span<const Bytes> counts, const Reduction& what,
                        bool in_place, Algorithm as) {
  return schedule(task_of(rank, counts.first(size), what, in_place, /*block=*/false), what, as);
}

Schedule reduce_scatter_block(int rank, int size, const Reduction& what, bool in_place, Algorithm as) {
  if (what.bytes() == 0) return {};
  const std::vector<Bytes> counts(size, what.count);
  return schedule(task_of(rank, counts, what, in_place, /*block=*/true), what, as);
}

}  // namespace emu::model
