// Waiting in the table of bounds, for ranks and agents: which rank blocks an answer, the sleep until no rank does, and
// the horizon of a polling rank.
#include <algorithm>
#include <chrono>

#include "wire/futex.h"
#include "wire/table.h"

namespace emu::wire {

// --- waiting rank

[[gnu::hot]] std::int64_t Table::threshold(int slot, const match::Arrival& key,
                                           const match::Sources& sources) const {
  const std::int64_t at = key.at.picoseconds();
  const Lookaheads::Least& la = lookaheads_.differ() ? lookaheads_.of(slot) : lookaheads_.all();
  const std::int64_t chained = at - la.chain + 1;
  if (!direct(slot, sources)) return chained;
  // On a tie the message of the lower rank comes first.
  return std::max(at - la.message + (node_map_.first_rank(slot) > key.source ? 0 : 1), chained);
}

[[gnu::hot]] bool Table::direct(int slot, const match::Sources& sources) const {
  if (!sources.everyone) return marks_[static_cast<std::size_t>(slot)] == stamp_;
  // On another node, one rank may be exempt and the others not.
  return node_map_.first_rank(slot) != sources.except || slot >= node_map_.local_slots();
}

std::int64_t Table::reach(int slot, std::int64_t bound, const match::Sources& sources) const {
  const Lookaheads::Least& la = lookaheads_.differ() ? lookaheads_.of(slot) : lookaheads_.all();
  return bound + (direct(slot, sources) ? std::min(la.message, la.chain) : la.chain);
}

void Table::mark(const match::Sources& sources) {
  ++stamp_;
  for (int s : sources.named) marks_[static_cast<std::size_t>(node_map_.slot_of(s))] = stamp_;
}

[[gnu::hot]] std::optional<int> Table::blocking_rank(const match::Arrival& key, const match::Sources& sources,
                                                     std::uint64_t announced) {
  if (!sources.everyone) mark(sources);
  std::uint64_t before = 0;
  do {
    before = lowerings();
    // The greatest threshold of all ranks, except the named ones.
    const Lookaheads::Least& la = lookaheads_.differ() ? lookaheads_.least() : lookaheads_.all();
    const std::int64_t least = sources.everyone ? la.message : la.chain;
    const std::int64_t most = key.at.picoseconds() - least + 1;
    std::int64_t furthest = -1;
    const auto consider = [&](int s) {
      return s == self_ || note_blocker(s, threshold(s, key, sources), furthest);
    };
    bool cheap = true;
    for (std::size_t i = 0; cheap && i < sources.named.size(); ++i)
      cheap = consider(node_map_.slot_of(sources.named[i]));
    if (cheap) locals_.below(most, consider);
    if (others_) others_->below(most, [&](int node) { return consider(node_map_.slot_of_node(node)); });
    if (furthest >= 0) return bounds_[self_].announced() != announced ? self_ : blocker_;
  } while (before != lowerings());
  if (bounds_[self_].announced() != announced) return self_;
  return std::nullopt;
}

// For keys that come last at their instant: the inverse of blocking_rank().
std::optional<std::int64_t> Table::horizon(const match::Sources& sources, std::int64_t most,
                                           std::uint64_t announced) {
  if (!sources.everyone) mark(sources);
  std::uint64_t before = 0;
  std::int64_t reached = 0;
  do {
    before = lowerings();
    const Lookaheads::Least& la = lookaheads_.differ() ? lookaheads_.least() : lookaheads_.all();
    reached = most + 1;
    const auto consider = [&](int s) {
      if (s == self_) return true;
      std::int64_t bound = bounds_[s].bound();
      if (reach(s, bound, sources) >= reached) return true;
      if (records_[s].cpu.epoch.load() % 2 == 1) bound += cpu_reader_.computed(s, records_[s].cpu);
      reached = std::min(reached, reach(s, bound, sources));
      return true;
    };
    for (int source : sources.named) consider(node_map_.slot_of(source));
    const std::int64_t least = sources.everyone ? std::min(la.message, la.chain) : la.chain;
    locals_.below(reached - least, consider);
    if (others_)
      others_->below(reached - least, [&](int node) { return consider(node_map_.slot_of_node(node)); });
  } while (before != lowerings());
  if (bounds_[self_].announced() != announced) return std::nullopt;
  return reached - 1;
}

std::optional<int> Table::bound_below(int slot, std::int64_t at, std::uint64_t announced) {
  std::int64_t furthest = -1;
  note_blocker(slot, at, furthest);
  if (bounds_[self_].announced() != announced) return self_;
  if (furthest >= 0) return blocker_;
  return std::nullopt;
}

// Records rank s as the blocker if its bound is below `needed`. Returns false, which
// ends the walk, if s computes and is the blocker: reading its progress was expensive.
[[gnu::hot]] bool Table::note_blocker(int s, std::int64_t needed, std::int64_t& furthest) {
  std::int64_t bound = bounds_[s].bound();
  if (bound >= needed || bound <= furthest) return true;
  if (contention_ && records_[s].rests.load() != 0) [[unlikely]] {
    push(s);
    bound = bounds_[s].bound();
    if (bound >= needed || bound <= furthest) return true;
  }
  std::int64_t missing = needed - bound;
  if (records_[s].cpu.epoch.load() % 2 == 1) {
    missing -= cpu_reader_.computed(s, records_[s].cpu);
    if (missing <= 0) return true;
  }
  furthest = bound;
  blocker_ = s;
  needed_ = needed;
  missing_ = missing;
  return missing == needed - bound;
}

[[gnu::hot]] bool Table::watch() {
  records_[self_].needs.store(needed_);
  records_[self_].awaits.store(blocker_);
  const std::size_t bit = static_cast<std::size_t>(self_) / sets_.share;
  watchers(blocker_)[bit / Watchers::word_bits].fetch_or(std::uint64_t{1} << (bit % Watchers::word_bits));
  want(blocker_);
  if (bounds_[blocker_].bound() >= needed_) return false;
  if (others_ && self_ != node_map_.agent()) ask();
  return true;
}

void Table::want(int slot) {
  std::atomic<std::int64_t>& watched = records_[slot].watched;
  std::int64_t before = watched.load();
  while (needed_ < before && !watched.compare_exchange_weak(before, needed_)) {
  }
}

// Wakes the agent to ask all nodes whose bounds are too low, at once.
void Table::ask() {
  bool any = blocker_ >= node_map_.local_slots();
  others_->below(needed_, [&](int node) {
    want(node_map_.slot_of_node(node));
    return any = true;
  });
  if (any) wake(node_map_.agent());
}

[[gnu::hot]] std::optional<std::chrono::nanoseconds> Table::patience() {
  using std::chrono::nanoseconds;
  const CpuRecord& cpu = records_[blocker_].cpu;
  const double scale = cpu.scale.load();
  if (cpu.epoch.load() % 2 == 0 || scale <= 0) return std::nullopt;
  // The blocker's bound grows with its CPU time, which takes at least as much real time.
  const auto missing = static_cast<std::int64_t>(static_cast<double>(missing_) / 1000.0 / scale);
  return std::clamp(nanoseconds(missing), nanoseconds(500'000), nanoseconds(100'000'000));
}

[[gnu::hot]] void Table::sleep(std::uint64_t announced, WakeUp wake_up) {
  Record& self = records_[self_];
  std::optional<std::chrono::nanoseconds> timeout;
  match::Sharing* const sharing = sharing_ && sharing_->several() ? sharing_ : nullptr;
  if (sharing) self.listens.store(1);
  self.asleep.store(1);
  if (bounds_[self_].announced() != announced || (wake_up == WakeUp::bound && !watch())) {
    self.asleep.store(0);
    return;
  }
  if (wake_up == WakeUp::bound) timeout = patience();
  if (sharing)
    if (const auto most = sharing->release(); most && (!timeout || *most < *timeout)) timeout = most;
  futex_wait(self.asleep, 1, timeout);
  if (sharing) sharing->take();
  self.asleep.store(0);
}

[[gnu::hot]] bool Table::all_blocked() {
  if (bounds_[blocker_].bound() < never) return false;  // the usual case
  const std::uint64_t before = locals_.lowerings();
  bool all = true;
  locals_.below(never, [&](int s) {
    blocker_ = s;
    return all = false;
  });
  return all && before == locals_.lowerings();
}

}  // namespace emu::wire
