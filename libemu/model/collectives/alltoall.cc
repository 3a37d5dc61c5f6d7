// Alltoall and Alltoallv.
#include <algorithm>

#include "model/collectives/builder.h"

namespace emu::model {
namespace {

// Ranks; Bruck is not used up to this size. The table has "below 8", but 4.0.2 compares with "not above" if it
// evaluates this condition at the call (and not, as in bcast, at the creation of the communicator).
constexpr int kBruckGroup = 8;
constexpr Bytes kBruckBlock = 256;        // bytes a block; up to here Bruck
constexpr Bytes kScatteredBlock = 32768;  // bytes a block; up to here all at once
constexpr int kThrottle = 32;             // peers with pending messages at once

// Copies the blocks whose number has the bit set between their places in `all` and a dense row.
template <typename Copy>
Bytes each_run(int size, int bit, Bytes block, Copy copy) {
  Bytes row = 0;
  for (int first = bit; first < size; first += 2 * bit) {
    const Bytes bytes = std::min(bit, size - first) * block;
    copy(first * block, row, bytes);
    row += bytes;
  }
  return row;
}

// Bruck et al., IEEE TPDS 8(11), 1997: block n has to travel n ranks forward; in round k all blocks with
// bit k set move by 2^k. Each block is sent once for each bit of its number, but there are only log2(size)
// messages.
Schedule bruck_alltoall(int rank, int size, Bytes block) {
  Builder build;
  const Bytes total = size * block;
  const Slice all = build.scratch(total);
  const Slice leaving = build.scratch((total + 1) / 2);
  const Slice coming = build.scratch((total + 1) / 2);
  const Bytes upper = (size - rank) * block;
  build.copy(in(rank * block, upper), part(all, 0, upper));
  build.copy(in(0, total - upper), part(all, upper, total - upper));
  for (int bit = 1; bit < size; bit <<= 1) {
    const Bytes row = each_run(size, bit, block, [&](Bytes from, Bytes to, Bytes bytes) {
      build.copy(part(all, from, bytes), part(leaving, to, bytes));
    });
    build.exchange(around(rank, bit - size, size), part(leaving, 0, row), around(rank, -bit, size),
                   part(coming, 0, row));
    each_run(size, bit, block, [&](Bytes to, Bytes from, Bytes bytes) {
      build.copy(part(coming, from, bytes), part(all, to, bytes));
    });
  }
  for (int n = 0; n < size; ++n) {
    build.copy(part(all, n * block, block), out(around(rank, -n, size) * block, block));
  }
  return build.take();
}

// In round i a rank exchanges blocks with the rank whose number differs in the bits of i, if the number of ranks
// is a power of two and `mutual` is true; otherwise it sends i ranks forward and receives from i ranks back.
Schedule by_rounds(int rank, int size, Bytes block, bool mutual) {
  Builder build;
  build.copy(in(rank * block, block), out(rank * block, block));
  const bool pairs = mutual && is_power(size);
  for (int round = 1; round < size; ++round) {
    const int to = pairs ? rank ^ round : around(rank, round - size, size);
    const int from = pairs ? to : around(rank, -round, size);
    build.exchange(to, in(to * block, block), from, out(from * block, block));
  }
  return build.take();
}

// Receives from the following ranks and sends to the preceding ones, in groups of kThrottle peers, this rank being the
// first peer. sent(i), got(i): the slices for and from rank i.
template <typename Sent, typename Got>
Schedule scattered(int rank, int size, Sent sent, Got got) {
  Builder build;
  build.copy(sent(rank), got(rank));
  for (int turn = 0; turn < size; turn += kThrottle) {
    const int end = std::min(size, turn + kThrottle);
    for (int i = std::max(turn, 1); i < end; ++i) {
      const int source = around(rank, i - size, size);
      if (got(source).bytes > 0) build.post_receive(source, got(source));
    }
    for (int i = std::max(turn, 1); i < end; ++i) {
      const int target = around(rank, -i, size);
      if (sent(target).bytes > 0) build.post_send(target, sent(target));
    }
    build.wait();
  }
  return build.take();
}

// All ranks process the pairs (0,1), (0,2), ..., (1,2), ... in this order, so that no two wait for each
// other in a cycle. Each exchange replaces the block, which is copied before it is sent.
template <typename Got>
Schedule replacing(int rank, int size, Bytes longest, Got got) {
  Builder build;
  const Slice aside = build.scratch(longest);
  for (int peer = 0; peer < size; ++peer) {
    if (peer == rank) continue;
    const Slice place = got(peer);
    const Slice leaving = part(aside, 0, place.bytes);
    build.copy(place, leaving);
    build.exchange(peer, leaving, peer, place);
  }
  return build.take();
}

}  // namespace

Schedule alltoall(int rank, int size, Bytes block, bool in_place, Algorithm as) {
  if (block == 0) return {};
  const auto sent = [block](int i) { return in(i * block, block); };
  const auto got = [block](int i) { return out(i * block, block); };
  if (in_place) return replacing(rank, size, block, got);
  if (as == Algorithm::mpich) {
    as = size > kBruckGroup && block <= kBruckBlock ? Algorithm::bruck
         : block <= kScatteredBlock                 ? Algorithm::linear
                                                    : Algorithm::pairwise;
  }
  if (as == Algorithm::bruck) return bruck_alltoall(rank, size, block);
  if (as == Algorithm::linear) return scattered(rank, size, sent, got);
  return by_rounds(rank, size, block, as == Algorithm::pairwise);
}

Schedule alltoallv(int rank, int size, std::span<const Block> sends, std::span<const Block> receives,
                   bool in_place) {
  const auto got = [receives](int i) { return out(receives[i].offset, receives[i].bytes); };
  if (in_place) {
    Bytes longest = 0;
    for (const Block& block : receives) longest = std::max(longest, block.bytes);
    return replacing(rank, size, longest, got);
  }
  const auto sent = [sends](int i) { return in(sends[i].offset, sends[i].bytes); };
  return scattered(rank, size, sent, got);
}

}  // namespace emu::model
