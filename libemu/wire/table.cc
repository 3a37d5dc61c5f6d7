#include "wire/table.h"

#include <algorithm>
#include <chrono>
#include <new>

#include "wire/futex.h"

namespace emu::wire {

namespace {

constexpr std::int64_t never = Instant::never().picoseconds();
constexpr std::size_t bits = 64;

std::size_t words_of(int ranks) { return (static_cast<std::size_t>(ranks) + bits - 1) / bits; }

constexpr std::size_t aligned(std::size_t n) { return (n + 63) / 64 * 64; }

struct Offsets {
  std::size_t bounds, inner, records, watchers, end;
  explicit Offsets(int ranks) {
    const auto p = static_cast<std::size_t>(ranks);
    bounds = aligned(sizeof(Front));
    inner = aligned(bounds + p * sizeof(Bound));
    records = aligned(inner + Minima::inner_cells(ranks) * sizeof(Bound));
    watchers = aligned(records + p * sizeof(Record));
    end = aligned(watchers + p * words_of(ranks) * sizeof(std::uint64_t));
  }
};

}  // namespace

std::size_t Table::bytes(int ranks) { return Offsets(ranks).end; }

// Everything starts at zero, running at instant 0, except that nobody is watched.
void Table::create(std::byte* base, int ranks) {
  const Offsets at(ranks);
  auto* front = new (base) Front{};
  auto* records = reinterpret_cast<Record*>(base + at.records);
  for (int i = 0; i < ranks; ++i) {
    new (&records[i]) Record{};
    records[i].watched = never + 1;
  }
  front->heap_top = at.end;
  front->status.ranks = ranks;
  front->status.stride = sizeof(Record);
  front->status.first_record = at.records;
  front->status.magic = Status::magic_value;
}

Table::Table(std::byte* base, int ranks, int self, Interval lookahead)
    : ranks_(ranks),
      self_(self),
      lookahead_(lookahead.picoseconds()),
      words_(words_of(ranks)),
      front_(reinterpret_cast<Front*>(base)),
      bounds_(reinterpret_cast<Bound*>(base + Offsets(ranks).bounds)),
      minima_(bounds_, reinterpret_cast<Bound*>(base + Offsets(ranks).inner), ranks),
      cpu_reader_(ranks),
      marks_(static_cast<std::size_t>(ranks)) {
  const Offsets at(ranks);
  records_ = reinterpret_cast<Record*>(base + at.records);
  watchers_ = reinterpret_cast<std::atomic<std::uint64_t>*>(base + at.watchers);
}

// --- as the owner

void Table::raise(std::int64_t clock, std::int64_t bound) {
  records_[self_].status.clock.store(clock, std::memory_order_release);
  Bound::Value value = bounds_[self_].load();
  while (!bounds_[self_].exchange(value, {bound, value.announced})) value = bounds_[self_].load();
  minima_.raised(self_, value.bound);
  fire(bound);
}

// `reaction` may be read along with a bound that was published before or after it. That does no harm: a
// running rank's bound is its clock, which no announcement raises; and a rank blocked for good is announced
// something before it blocks anew.
bool Table::raise_if_quiet(const match::Wire::Block& block, std::uint64_t announced) {
  const std::int64_t bound = block.bound.picoseconds();
  records_[self_].status.clock.store(block.clock.picoseconds(), std::memory_order_release);
  records_[self_].reaction.store(block.reaction.picoseconds(), std::memory_order_release);
  for (;;) {
    const Bound::Value value = bounds_[self_].load();
    if (value.announced != announced) return false;
    if (value.bound == bound) break;
    if (!bounds_[self_].exchange(value, {bound, announced})) continue;
    minima_.raised(self_, value.bound);
    break;
  }
  fire(bound);
  return true;
}

// Wakes those who wait for this rank's bound to reach what it now is.
void Table::fire(std::int64_t bound) {
  Record& self = records_[self_];
  if (self.watched.load() > bound) return;
  self.watched.store(never + 1);
  std::int64_t rest = never + 1;
  for (std::size_t w = 0; w < words_; ++w) {
    std::atomic<std::uint64_t>& word = watchers(self_)[w];
    if (word.load() == 0) continue;
    std::uint64_t set = word.exchange(0);
    std::uint64_t keep = 0;
    for (; set; set &= set - 1) {
      const int waiter = static_cast<int>(w * bits) + __builtin_ctzll(set);
      const std::int64_t needs = records_[waiter].needs.load();
      if (needs <= bound) {
        wake(waiter);
      } else {
        keep |= set & -set;
        rest = std::min(rest, needs);
      }
    }
    if (keep) word.fetch_or(keep);
  }
  std::int64_t watched = self.watched.load();
  while (rest < watched && !self.watched.compare_exchange_weak(watched, rest)) {
  }
}

// --- as a sender

void Table::announce(int to, std::int64_t arrival) {
  Bound& cell = bounds_[to];
  const Record& record = records_[to];
  for (;;) {
    const Bound::Value value = cell.load();
    // The clock is read after the bound that was published with it, so it is no older.
    const std::int64_t acts = std::max(arrival, record.status.clock.load(std::memory_order_acquire)) +
                              record.reaction.load(std::memory_order_acquire);
    const std::int64_t bound = std::min(value.bound, acts);
    if (!cell.exchange(value, {bound, value.announced + 1})) continue;
    if (bound == value.bound) return;  // it has an earlier event to wait for, and need not know yet
    minima_.lowered(to);
    wake(to);
    return;
  }
}

void Table::wake(int rank) {
  std::atomic<std::uint32_t>& asleep = records_[rank].asleep;
  if (asleep.load() == 1 && asleep.exchange(0) == 1) futex_wake(asleep);
}

// --- as one who waits

std::int64_t Table::threshold(int rank, const match::Arrival& key, const match::Concern& concern) const {
  const bool direct =
      concern.everyone ? rank != concern.exempt : marks_[static_cast<std::size_t>(rank)] == stamp_;
  const std::int64_t at = key.at.picoseconds();
  if (concern.at_once) return direct ? at + 1 : at - lookahead_ + 1;
  if (!direct) return at - 2 * lookahead_ + 1;
  return at - lookahead_ + (rank > key.source ? 0 : 1);  // on a tie the message of the lower rank comes first
}

void Table::mark(const match::Concern& concern) {
  ++stamp_;
  for (int s : concern.sources) marks_[static_cast<std::size_t>(s)] = stamp_;
}

std::optional<int> Table::in_the_way(const match::Arrival& key, const match::Concern& concern,
                                     std::uint64_t announced) {
  if (!concern.everyone) mark(concern);
  // No rank has to be further than this one, but for those that a concern names.
  const std::int64_t most =
      key.at.picoseconds() - (concern.everyone || concern.at_once ? 1 : 2) * lookahead_ + 1;
  std::uint64_t lowerings = 0;
  do {
    lowerings = minima_.lowerings();
    std::int64_t furthest = -1;
    const auto consider = [&](int s) {
      return s == self_ || stands(s, threshold(s, key, concern), furthest);
    };
    bool cheap = true;
    for (std::size_t i = 0; cheap && i < concern.sources.size(); ++i) cheap = consider(concern.sources[i]);
    if (cheap) minima_.below(most, consider);
    if (furthest >= 0) return bounds_[self_].announced() != announced ? self_ : blocker_;
  } while (lowerings != minima_.lowerings());
  if (bounds_[self_].announced() != announced) return self_;
  return std::nullopt;
}

std::optional<int> Table::short_of(int rank, std::int64_t at, std::uint64_t announced) {
  std::int64_t furthest = -1;
  stands(rank, at, furthest);
  if (bounds_[self_].announced() != announced) return self_;
  if (furthest >= 0) return blocker_;
  return std::nullopt;
}

// Whether it is worth looking further: not if rank s computes and stands in the way, since reading its
// progress was dear.
bool Table::stands(int s, std::int64_t needed, std::int64_t& furthest) {
  const std::int64_t bound = bounds_[s].bound();
  if (bound >= needed || bound <= furthest) return true;
  std::int64_t missing = needed - bound;
  if (records_[s].cpu.epoch.load() % 2 == 1) {
    missing -= cpu_reader_.computed(s, records_[s].cpu);
    if (missing <= 0) return true;
  }
  furthest = bound;
  blocker_ = s;
  needed_ = needed;
  short_of_ = missing;
  return missing == needed - bound;
}

void Table::sleep(std::uint64_t announced, bool in_the_way) {
  using std::chrono::nanoseconds;
  Record& self = records_[self_];
  std::optional<nanoseconds> timeout;
  self.asleep.store(1);
  if (bounds_[self_].announced() != announced) {
    self.asleep.store(0);
    return;
  }
  if (in_the_way) {
    Record& blocker = records_[blocker_];
    self.needs.store(needed_);
    watchers(blocker_)[static_cast<std::size_t>(self_) / bits].fetch_or(std::uint64_t{1} << (self_ % bits));
    std::int64_t watched = blocker.watched.load();
    while (needed_ < watched && !blocker.watched.compare_exchange_weak(watched, needed_)) {
    }
    if (bounds_[blocker_].bound() >= needed_) {
      self.asleep.store(0);
      return;
    }
    const std::uint32_t epoch = blocker.cpu.epoch.load();
    const double scale = blocker.cpu.scale.load();
    if (epoch % 2 == 1 && scale > 0) {
      // It computes: it cannot be out of the way before it has used that much CPU time, which takes as much
      // real time.
      const auto missing = static_cast<std::int64_t>(static_cast<double>(short_of_) / 1000.0 / scale);
      timeout = std::clamp(nanoseconds(missing), nanoseconds(500'000), nanoseconds(100'000'000));
    }
  }
  futex_wait(self.asleep, 1, timeout);
  self.asleep.store(0);
}

bool Table::standstill() {
  if (bounds_[blocker_].bound() < never) return false;  // mostly
  const std::uint64_t lowerings = minima_.lowerings();
  bool all = true;
  minima_.below(never, [&](int s) {
    blocker_ = s;
    return all = false;
  });
  return all && lowerings == minima_.lowerings();
}

}  // namespace emu::wire
