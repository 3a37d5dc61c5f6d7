// Scan and Exscan.
#include "model/collectives/builder.h"

namespace emu::model {
namespace {

// Recursive doubling. `partial` is the sum over the aligned group of ranks joined so far; the
// result includes lower ranks only.
Schedule doubling_scan(int rank, int size, const Reduction& what, bool inclusive, bool in_place) {
  if (what.bytes() == 0) return {};
  Builder build;
  const Bytes bytes = what.bytes();
  const Slice own = contribution(in_place, 0, bytes);
  const Slice result = out(0, bytes);
  const Slice partial = build.scratch(bytes);
  const Slice incoming = build.scratch(bytes);
  build.copy(own, partial);
  if (inclusive) build.copy(own, result);
  bool begun = inclusive;
  for (int mask = 1; mask < size; mask <<= 1) {
    const int peer = rank ^ mask;
    if (peer >= size) continue;
    build.exchange(peer, partial, peer, incoming);
    if (peer < rank) {
      build.combine(incoming, partial);
      if (begun) {
        build.combine(incoming, result);
      } else {
        build.copy(incoming, result);
      }
      begun = true;
    } else if (what.commutative) {
      build.combine(incoming, partial);
    } else {
      build.combine_behind(partial, incoming);
    }
  }
  return build.take();
}

}  // namespace

Schedule scan(int rank, int size, const Reduction& what, bool in_place) {
  return doubling_scan(rank, size, what, /*inclusive=*/true, in_place);
}

Schedule exscan(int rank, int size, const Reduction& what, bool in_place) {
  return doubling_scan(rank, size, what, /*inclusive=*/false, in_place);
}

}  // namespace emu::model
