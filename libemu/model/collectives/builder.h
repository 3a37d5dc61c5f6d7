// Builder of a collective's schedule: appends steps, and folds ranks to a power of two. Only for use in
// model/collectives.
#pragma once

#include <algorithm>
#include <bit>
#include <utility>

#include "model/collectives.h"

namespace emu::model {

constexpr Slice in(Bytes offset, Bytes bytes) { return {Space::input, offset, bytes}; }
constexpr Slice out(Bytes offset, Bytes bytes) { return {Space::output, offset, bytes}; }
constexpr Slice part(const Slice& whole, Bytes offset, Bytes bytes) {
  return {whole.space, whole.offset + offset, bytes};
}

// The caller's contribution: in the input, or (in place) at the same offset of the output.
constexpr Slice contribution(bool in_place, Bytes offset, Bytes bytes) {
  return in_place ? out(offset, bytes) : in(offset, bytes);
}

// The largest power of two up to `size`.
constexpr int floor_power(int size) { return static_cast<int>(std::bit_floor(static_cast<unsigned>(size))); }
constexpr bool is_power(int size) { return std::has_single_bit(static_cast<unsigned>(size)); }

// Rank (a + b) modulo size; b may be negative, down to -size.
constexpr int around(int a, int b, int size) { return (a + b + size) % size; }

// The binomial tree over numbers (ranks counted from the root): the parent of a number is that number without
// its lowest set bit, and its children are reached by adding one lower bit. For the root, 0: the first power
// of two that is not below size.
constexpr int lowest_bit(int number, int size) {
  int bit = 1;
  while (bit < size && !(number & bit)) bit <<= 1;
  return bit;
}

class Builder {
 public:
  Slice scratch(Bytes bytes) { return scratch(bytes, bytes); }
  // `bytes`: those that are used; `largest`: bytes of the largest part that a library allocates.
  Slice scratch(Bytes bytes, Bytes largest) {
    const Slice slice{Space::scratch, schedule_.scratch, bytes};
    schedule_.scratch += (bytes + 15) / 16 * 16;
    schedule_.largest = std::max(schedule_.largest, largest);
    return slice;
  }

  // Memory for `used`, a part of a vector of `whole` bytes that a library allocates. The slice begins where the vector
  // would.
  Slice scratch_for(const Slice& used, Bytes whole) {
    const Slice memory = scratch(used.bytes, whole);
    return {memory.space, memory.offset - used.offset, whole};
  }

  void post_send(int peer, const Slice& what) { start(Step::Kind::send, peer, what); }
  void post_receive(int peer, const Slice& into) { start(Step::Kind::receive, peer, into); }
  void wait() {
    if (std::exchange(pending_, false)) schedule_.steps.push_back({Step::Kind::wait, -1, {}, {}});
  }

  void send(int peer, const Slice& what) {
    post_send(peer, what);
    wait();
  }
  void receive(int peer, const Slice& into) {
    post_receive(peer, into);
    wait();
  }
  void exchange(int to, const Slice& what, int from, const Slice& into) {
    post_receive(from, into);
    post_send(to, what);
    wait();
  }

  void copy(const Slice& from, const Slice& to) {
    const bool same = from.space == to.space && from.offset == to.offset;
    if (to.bytes > 0 && !same) schedule_.steps.push_back({Step::Kind::copy, -1, to, from});
  }
  // into := from op into
  void combine(const Slice& from, const Slice& into) {
    if (into.bytes > 0) schedule_.steps.push_back({Step::Kind::combine, -1, into, from});
  }
  // into := into op from, which may overwrite `from`.
  void combine_behind(const Slice& into, const Slice& from) {
    combine(into, from);
    copy(from, into);
  }

  // Appends a complete operation of a group whose ranks begin at `first`, with the given memory. No transfer is
  // pending.
  void nest(const Schedule& part, int first, const Slice& input, const Slice& output) {
    nest(
        part, [&](int peer) { return first + peer; }, input, output);
  }
  // As above; member i of the group is the rank `member(i)`.
  template <class Member>
  void nest(const Schedule& part, const Member& member, const Slice& input, const Slice& output) {
    const Slice own = scratch(part.scratch, part.largest);
    const auto moved = [&](Slice s) {
      const Slice& base = s.space == Space::input ? input : s.space == Space::output ? output : own;
      return Slice{base.space, base.offset + s.offset, s.bytes};
    };
    for (const Step& s : part.steps)
      schedule_.steps.push_back(
          {s.kind, s.peer < 0 ? s.peer : member(s.peer), moved(s.slice), moved(s.from)});
  }

  Schedule take() { return std::move(schedule_); }

 private:
  void start(Step::Kind kind, int peer, const Slice& slice) {
    schedule_.steps.push_back({kind, peer, slice, {}});
    pending_ = true;
  }

  Schedule schedule_;
  bool pending_ = false;
};

// Folding to a power of two: of each pair of the first 2 * rest ranks, one sends its contribution to the other
// and drops out; the others are renumbered 0 .. power - 1 in rank order.
struct Fold {
  int power;
  int rest;
  bool odd_stays;  // which rank of a pair continues

  Fold(int size, bool odd_stays) : power(floor_power(size)), rest(size - power), odd_stays(odd_stays) {}

  bool paired(int rank) const { return rank < 2 * rest; }
  bool aside(int rank) const { return paired(rank) && (rank % 2 == 1) != odd_stays; }
  int partner(int rank) const { return rank ^ 1; }
  int folded(int rank) const { return paired(rank) ? rank / 2 : rank - rest; }
  int unfolded(int number) const { return number < rest ? 2 * number + (odd_stays ? 1 : 0) : number + rest; }
};

// A vector of elements cut into `parts` of nearly equal length, the longer ones first.
struct Cut {
  Bytes count;
  Bytes element;
  int parts;

  Bytes begin(int i) const {
    const Bytes longer = count % parts;
    return (i * (count / parts) + (i < longer ? i : longer)) * element;
  }
  // Parts from first to (not including) last.
  Slice of(const Slice& whole, int first, int last) const {
    return part(whole, begin(first), begin(last) - begin(first));
  }
};

}  // namespace emu::model
