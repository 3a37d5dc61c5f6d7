#include "wire/table.h"

#include <unistd.h>

#include <algorithm>
#include <new>

#include "wire/futex.h"
#include "wire/shared_contention.h"

namespace emu::wire {

namespace {

constexpr std::size_t in_cache_lines(std::size_t n) { return (n + 63) / 64 * 64; }

struct Offsets {
  std::size_t bounds, inner, nodes, records, watchers, summaries, end;
  explicit Offsets(const NodeMap& node_map) {
    const auto slots = static_cast<std::size_t>(node_map.slots());
    bounds = in_cache_lines(sizeof(TableHeader));
    inner = in_cache_lines(bounds + slots * sizeof(Bound));
    nodes = inner + Minima::inner_cells(node_map.local_slots()) * sizeof(Bound);
    records = in_cache_lines(
        nodes + (node_map.several() ? Minima::inner_cells(node_map.nodes()) * sizeof(Bound) : 0));
    watchers = in_cache_lines(records + slots * sizeof(Record));
    summaries = in_cache_lines(watchers + slots * Watchers(node_map.slots()).words * sizeof(std::uint64_t));
    end =
        in_cache_lines(summaries + static_cast<std::size_t>(node_map.ranks()) * sizeof(record::RankSummary));
  }
};

}  // namespace

std::size_t Table::bytes(const NodeMap& node_map) { return Offsets(node_map).end; }

// All slots start with clock and bound 0, as running ranks. Exceptions: no slot is watched, and the bound of an agent
// is never.
void Table::create(std::byte* base, const NodeMap& node_map) {
  const Offsets at(node_map);
  auto* header = new (base) TableHeader{};
  auto* records = reinterpret_cast<Record*>(base + at.records);
  for (int i = 0; i < node_map.slots(); ++i) {
    new (&records[i]) Record{};
    records[i].watched = never + 1;
    records[i].life.prepare();
  }
  header->heap_top = at.end;
  header->status.ranks = node_map.local_slots();
  header->status.stride = sizeof(Record);
  header->status.first_record = at.records;
  header->status.magic = record::JobStatus::magic_value;
  if (node_map.several()) Table(base, node_map, node_map.agent(), Lookaheads(Interval())).raise(never, never);
}

Table::Table(std::byte* base, const NodeMap& node_map, int self, Lookaheads lookaheads)
    : node_map_(node_map),
      self_(self),
      lookaheads_(std::move(lookaheads)),
      sets_(node_map.slots()),
      header_(reinterpret_cast<TableHeader*>(base)),
      bounds_(reinterpret_cast<Bound*>(base + Offsets(node_map).bounds)),
      locals_(bounds_, reinterpret_cast<Bound*>(base + Offsets(node_map).inner), node_map.local_slots()),
      marks_(static_cast<std::size_t>(node_map.slots())) {
  const Offsets at(node_map);
  records_ = reinterpret_cast<Record*>(base + at.records);
  watchers_ = reinterpret_cast<std::atomic<std::uint64_t>*>(base + at.watchers);
  summaries_ = reinterpret_cast<record::RankSummary*>(base + at.summaries);
  if (node_map.several())
    others_.emplace(bounds_ + node_map.local_slots(), reinterpret_cast<Bound*>(base + at.nodes),
                    node_map.nodes());
}

[[gnu::hot]] void Table::raised(int slot, std::int64_t before) {
  const int node = slot - node_map_.local_slots();
  if (node < 0)
    locals_.raised(slot, before);
  else
    others_->raised(node, before);
}

[[gnu::hot]] void Table::lowered(int slot) {
  const int node = slot - node_map_.local_slots();
  if (node < 0)
    locals_.lowered(slot);
  else
    others_->lowered(node);
}

bool Table::any_asleep() const {
  for (int slot = 0; slot < node_map_.local_slots(); ++slot)
    if (records_[slot].asleep.load(std::memory_order_relaxed) != 0) return true;
  return false;
}

// --- as the owner

[[gnu::hot]] void Table::raise(std::int64_t clock, std::int64_t bound) {
  records_[self_].status.clock.store(clock, std::memory_order_release);
  Bound& own = bounds_[self_];
  for (;;) {
    const Bound::Value value = own.load();
    // The bound falls if the rank acts on a message that was not announced yet: counts like an announcement.
    const bool falls = bound < value.bound;
    if (!own.exchange(value, {bound, value.announced + (falls ? 1 : 0)})) continue;
    if (falls)
      lowered(self_);
    else
      raised(self_, value.bound);
    break;
  }
  fire(self_, bound);
}

// `reaction` may be read together with a bound that was published before or after it. This is harmless: the bound of a
// running rank is its clock, and no announcement raises a bound; a rank that is blocked for good receives an
// announcement before it blocks anew.
[[gnu::hot]] bool Table::raise_if_quiet(const match::Bounds::Block& block, std::uint64_t announced) {
  const std::int64_t bound = block.bound.picoseconds();
  records_[self_].status.clock.store(block.clock.picoseconds(), std::memory_order_release);
  records_[self_].reaction.store(block.reaction.picoseconds(), std::memory_order_release);
  Bound& own = bounds_[self_];
  for (;;) {
    const Bound::Value value = own.load();
    if (value.announced != announced) return false;
    if (value.bound == bound) break;
    if (!own.exchange(value, {bound, announced})) continue;
    raised(self_, value.bound);
    break;
  }
  fire(self_, bound);
  return true;
}

void Table::rests(std::int64_t without_transit, std::uint64_t announced) {
  Record& self = records_[self_];
  self.without_transit.store(without_transit);
  self.rests.store(announced + 1);
}

// Counts even if the bound stays: a process that is about to raise this bound must fail.
void Table::rests_no_more() {
  records_[self_].rests.store(0);
  for (;;) {
    const Bound::Value value = bounds_[self_].load();
    if (bounds_[self_].exchange(value, {value.bound, value.announced + 1})) return;
  }
}

std::int64_t Table::least_bound() {
  for (;;) {
    const std::uint64_t before = lowerings();
    const std::int64_t least = std::min(locals_.least(), others_ ? others_->least() : never);
    if (before == lowerings()) return least;
  }
}

void Table::push(int slot) {
  Record& record = records_[slot];
  for (;;) {
    const Bound::Value value = bounds_[slot].load();
    const std::uint64_t rests = record.rests.load();
    if (rests != value.announced + 1) return;  // perhaps a message that is not in transit came
    const std::int64_t without = record.without_transit.load(), clock = record.status.clock.load(),
                       reaction = record.reaction.load();
    const Bound::Value looked = record.looked_at.load();
    const std::int64_t least = least_bound();
    if (looked.announced == rests && contention_->is_settled(least, looked.bound)) return;
    const auto [first, landings] = contention_->acts_from(slot, least, clock, reaction);
    const std::int64_t bound = std::min(without, first);
    if (bound <= value.bound) {
      record.looked_at.exchange(looked, {landings, rests});
      return;
    }
    if (!bounds_[slot].exchange(value, {bound, value.announced})) continue;
    raised(slot, value.bound);
    fire(slot, bound);
    return;
  }
}

// Wakes the waiters for bounds of `slot` up to its present bound. If the bound depends on messages in transit, several
// processes may raise it and fire at the same time. While one of them has taken the watchers, another one that has
// raised the bound further finds none. So each process looks at the bound again after it has put back the watchers that
// it keeps (tests/reference/promela/watchers.pml).
void Table::fire_watched(int slot, std::int64_t bound) {
  std::atomic<std::int64_t>& watched = records_[slot].watched;
  while (watched.load() <= bound) {
    watched.store(never + 1);
    const std::int64_t rest = wake_watchers(slot, bound);
    std::int64_t before = watched.load();
    while (rest < before && !watched.compare_exchange_weak(before, rest)) {
    }
    bound = bounds_[slot].bound();
  }
}

// Wakes the watchers of `slot` that need no more than `bound`. Returns the least need of the others, or above `never`.
std::int64_t Table::wake_watchers(int slot, std::int64_t bound) {
  std::int64_t rest = never + 1;
  for (std::size_t i = 0; i < sets_.words; ++i) {
    std::atomic<std::uint64_t>& watching = watchers(slot)[i];
    if (watching.load() == 0) continue;
    std::uint64_t set = watching.exchange(0);
    std::uint64_t keep = 0;
    for (; set; set &= set - 1) {
      const auto bit = static_cast<std::size_t>(__builtin_ctzll(set));
      const std::int64_t needs = wake_behind(i * Watchers::word_bits + bit, slot, bound);
      if (needs > never) continue;
      keep |= set & -set;
      rest = std::min(rest, needs);
    }
    if (keep) watching.fetch_or(keep);
  }
  return rest;
}

[[gnu::hot]] std::int64_t Table::wake_behind(std::size_t bit, int slot, std::int64_t bound) {
  const std::size_t end = std::min((bit + 1) * sets_.share, static_cast<std::size_t>(node_map_.slots()));
  std::int64_t rest = never + 1;
  for (std::size_t waiter = bit * sets_.share; waiter < end; ++waiter) {
    const Record& record = records_[waiter];
    if (record.awaits.load() != slot) continue;
    const std::int64_t needs = record.needs.load();
    if (needs <= bound)
      wake(static_cast<int>(waiter));
    else
      rest = std::min(rest, needs);
  }
  return rest;
}

// --- sender

[[gnu::hot]] void Table::announce(int to, std::int64_t arrival, bool operation) {
  Bound& cell = bounds_[to];
  const Record& record = records_[to];
  for (;;) {
    const Bound::Value value = cell.load();
    // The clock is read after the bound with which it was published, so it is no older.
    const std::int64_t clock = record.status.clock.load(std::memory_order_acquire);
    // A rank that has finished has no server.
    const std::int64_t acts =
        operation && clock < never
            ? arrival
            : std::max(arrival, clock) + record.reaction.load(std::memory_order_acquire);
    const std::int64_t bound = std::min(value.bound, acts);
    if (!cell.exchange(value, {bound, value.announced + 1})) continue;
    if (bound == value.bound) {  // an earlier event is awaited: the message can wait
      if (record.listens.load()) [[unlikely]]
        wake(to);
      return;
    }
    lowered(to);
    wake(to);
    return;
  }
}

[[gnu::hot]] void Table::wake(int slot) {
  std::atomic<std::uint32_t>& asleep = records_[slot].asleep;
  if (asleep.load() != 1 || asleep.exchange(0) != 1) return;
  if (agent_fd_ >= 0 && slot == node_map_.agent())
      // Fails if the pipe is full, when the agent wakes anyway, or if the agent is gone, together with the job.
      [[maybe_unused]]
    const auto written = ::write(agent_fd_, "", 1);
  else
    futex_wake(asleep);
}

// --- agent

std::optional<std::int64_t> Table::local_bound(std::int64_t needed,
                                               std::optional<std::chrono::nanoseconds>& retry) {
  for (;;) {
    const std::uint64_t before = locals_.lowerings();
    std::int64_t furthest = -1;
    locals_.below(needed, [&](int s) { return note_blocker(s, needed, furthest); });
    if (furthest < 0) {
      const std::int64_t least = std::max(needed, locals_.least());
      if (before == locals_.lowerings()) return least;
    } else if (watch()) {
      retry = patience();
      return std::nullopt;
    }
  }
}

std::int64_t Table::local_bound() {
  for (;;) {
    const std::uint64_t before = locals_.lowerings();
    const std::int64_t least = locals_.least();
    if (before == locals_.lowerings()) return least;
  }
}

// A waiter that registered too late to be woken, and then did not wait, may have left an instant that hides those of
// the others: fire() computes it anew.
std::int64_t Table::wanted(int slot) {
  fire(slot, bounds_[slot].bound());
  return records_[slot].watched.load();
}

std::optional<std::uint64_t> Table::set_bound(int slot, std::int64_t bound, std::uint64_t announced) {
  const Bound::Value value = bounds_[slot].load();
  if (value.announced != announced) return std::nullopt;
  if (bound == value.bound) return announced;
  const bool falls = bound < value.bound;
  // A fall counts, so that readers that are walking the tree notice it.
  const std::uint64_t count = announced + (falls ? 1 : 0);
  if (!bounds_[slot].exchange(value, {bound, count})) return std::nullopt;
  if (falls) {
    lowered(slot);
  } else {
    raised(slot, value.bound);
    fire(slot, bound);
  }
  return count;
}

}  // namespace emu::wire
