#include "collectives_world.h"

#include <algorithm>
#include <cstring>

namespace emu::model::testing {
namespace {

bool overlap(const Slice& a, const Slice& b) {
  return a.bytes > 0 && b.bytes > 0 && a.space == b.space && a.offset < b.offset + b.bytes &&
         b.offset < a.offset + a.bytes;
}

}  // namespace

void World::fail(int rank, const std::string& what) {
  if (!error.empty()) return;
  error = "rank " + std::to_string(rank) + ", step " + std::to_string(ranks_[rank].next) + ": " + what;
}

bool World::usable(int rank, const Slice& slice, bool read, bool write) {
  const Memory& m = memory(rank, slice);
  const Bytes size = static_cast<Bytes>(m.bytes.size());
  if (slice.bytes < 0 || slice.offset < 0 || (slice.bytes > 0 && slice.offset + slice.bytes > size)) {
    fail(rank, "outside of its memory");
    return false;
  }
  if (write && slice.space == Space::input && slice.bytes > 0) fail(rank, "writes to the input");
  if (read && slice.bytes > 0 && std::memchr(m.defined.data() + slice.offset, 0, slice.bytes)) {
    fail(rank, "reads what was never written");
  }
  for (const Step* other : ranks_[rank].started) {
    const bool writes = write || other->kind == Step::Kind::receive;
    if (writes && overlap(slice, other->slice)) fail(rank, "touches memory that is still in use");
  }
  return error.empty();
}

void World::define(int rank, const Slice& s) {
  if (s.bytes > 0) std::memset(memory(rank, s).defined.data() + s.offset, 1, s.bytes);
}

void World::start(int rank, const Step& step) {
  const bool sends = step.kind == Step::Kind::send;
  if (step.peer < 0 || step.peer >= static_cast<int>(ranks_.size()) || step.peer == rank) {
    return fail(rank, "a peer that is none");
  }
  if (!usable(rank, step.slice, sends, !sends)) return;
  ranks_[rank].started.push_back(&step);
  ranks_[rank].open++;
  if (sends) {
    ++messages;
    ++sends_of[rank];
    bytes += step.slice.bytes;
    pairs_[{rank, step.peer}].sends.push_back(&step);
    match(rank, step.peer);
  } else {
    pairs_[{step.peer, rank}].receives.push_back(&step);
    match(step.peer, rank);
  }
}

void World::match(int from, int to) {
  Pair& pair = pairs_[{from, to}];
  while (!pair.sends.empty() && !pair.receives.empty()) {
    const Slice sent = pair.sends.front()->slice;
    const Slice got = pair.receives.front()->slice;
    pair.sends.pop_front();
    pair.receives.pop_front();
    if (sent.bytes != got.bytes) {
      return fail(to, "expects " + std::to_string(got.bytes) + " bytes from " + std::to_string(from) +
                          ", which sends " + std::to_string(sent.bytes));
    }
    if (sent.bytes > 0) std::memcpy(at(to, got), at(from, sent), sent.bytes);
    define(to, got);
    ranks_[from].open--;
    ranks_[to].open--;
  }
}

void World::perform(int rank, const Step& step, const Operator& op) {
  const bool combines = step.kind == Step::Kind::combine;
  if (step.slice.bytes != step.from.bytes || step.slice.bytes == 0) return fail(rank, "unequal or no bytes");
  if (overlap(step.slice, step.from)) return fail(rank, "overlapping operands");
  if (!usable(rank, step.from, true, false) || !usable(rank, step.slice, combines, true)) return;
  if (combines) {
    op(at(rank, step.from), at(rank, step.slice), step.slice.bytes);
  } else {
    std::memcpy(at(rank, step.slice), at(rank, step.from), step.slice.bytes);
  }
  define(rank, step.slice);
}

// Executes steps of this rank that can be done; false if there are none.
bool World::advance(int rank, const Operator& op) {
  Rank& r = ranks_[rank];
  const std::size_t before = r.next;
  for (; r.next < r.schedule.steps.size() && error.empty(); ++r.next) {
    const Step& step = r.schedule.steps[r.next];
    switch (step.kind) {
      case Step::Kind::send:
      case Step::Kind::receive:
        start(rank, step);
        break;
      case Step::Kind::wait:
        if (r.open > 0) return r.next != before;
        if (r.started.empty()) fail(rank, "waits for nothing");
        r.started.clear();
        break;
      default:
        perform(rank, step, op);
    }
  }
  return r.next != before;
}

bool World::run(const Operator& op) {
  const int size = static_cast<int>(ranks_.size());
  sends_of.assign(size, 0);
  for (Rank& r : ranks_) r.memory[static_cast<int>(Space::scratch)].undefined(r.schedule.scratch);
  for (bool moved = true; moved && error.empty();) {
    moved = false;
    for (int rank = 0; rank < size; ++rank) moved |= advance(rank, op);
  }
  for (int rank = 0; rank < size; ++rank) {
    if (ranks_[rank].next < ranks_[rank].schedule.steps.size()) fail(rank, "deadlock");
    if (!ranks_[rank].started.empty()) fail(rank, "ends without a wait");
  }
  for (const auto& [ends, pair] : pairs_) {
    if (!pair.sends.empty() || !pair.receives.empty()) fail(ends.second, "unmatched messages");
  }
  return error.empty();
}

}  // namespace emu::model::testing
