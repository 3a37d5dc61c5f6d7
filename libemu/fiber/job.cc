#include "fiber/job.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <new>

#include "base/memory.h"
#include "wire/shared_contention.h"

namespace emu::fiber {
namespace {

constexpr std::int64_t unwatched = Instant::never().picoseconds() + 1;
// The job looks at the machine's free memory after this number of turns. At least `spare_memory` has to remain:
// otherwise the system would end some process.
constexpr std::uint64_t turns_between_looks = 4096;
constexpr std::int64_t spare_memory = 128 << 20;

}  // namespace

Job::Job(const model::Network& network, int ranks, const Settings& settings)
    : settings_(settings),
      network_(network),
      bounds_(ranks),
      ranks_(static_cast<std::size_t>(ranks)),
      summaries_(static_cast<std::size_t>(ranks)),
      marks_(static_cast<std::size_t>(ranks)),
      left_(ranks) {
  if (const model::Resources& shared = network.resources(); shared.any()) {
    resources_.resize(contention::Contention::bytes(shared.count(), ranks) + alignof(std::max_align_t));
    contention::Contention::create(resources_.data(), shared, ranks);
    contention_.emplace(resources_.data());
  }
  std::vector<int> first_of;  // a rank of each group of nodes; -1: none
  for (int rank = 0; rank < ranks; ++rank) {
    const auto group = static_cast<std::size_t>(network.place(rank).group);
    at(rank).group = group;
    at(rank).watched = unwatched;
    if (first_of.size() <= group) first_of.resize(group + 1, -1);
    if (first_of[group] < 0) first_of[group] = rank;
    wires_.emplace_back(*this, rank);
  }
  groups_ = first_of.size();
  for (const int to : first_of) {
    Least least{never, never};
    const auto from = to < 0 ? std::vector<model::Lookahead>() : network.lookaheads(to);
    for (std::size_t group = 0; group < groups_; ++group) {
      const bool both = to >= 0 && first_of[group] >= 0;
      const Least own = both ? Least{from[group].message.picoseconds(), from[group].chain.picoseconds()}
                             : Least{never / 2, never / 2};
      lookaheads_.push_back(own);
      least = {std::min(least.message, own.message), std::min(least.chain, own.chain)};
    }
    least_.push_back(least);
  }
}

// --- order of the ranks

Result<void> Job::run(const std::function<void(int)>& body) {
  auto stacks = settings_.guard ? Stacks::create(ranks_.size(), settings_.stack_bytes, *settings_.guard)
                                : Stacks::create(ranks_.size(), settings_.stack_bytes);
  if (!stacks) return tl::unexpected(stacks.error());
  stacks_.emplace(std::move(*stacks));
  const OverflowReport overflows(*stacks_, running_);
  try {
    take_turns(body);
    if (!failure_ && !short_of_memory_ && left_ > 0) failure_ = describe_deadlock();
  } catch (const std::bad_alloc&) {
    short_of_memory_ = true;
  }
  for (Rank& rank : ranks_)
    if (rank.fiber) unwind(rank);
  if (short_of_memory_) return tl::unexpected(shortage());
  if (failure_) return fail(*failure_);
  return {};
}

void Job::take_turns(const std::function<void(int)>& body) {
  for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) turns_.emplace(0, rank);
  std::uint64_t turns = 0;
  for (wake_crowd(); !turns_.empty() && !failure_ && !short_of_memory_; wake_crowd()) {
    const int rank = turns_.top().second;
    turns_.pop();
    go_on(rank, body);
    if (++turns % turns_between_looks == 0 && memory_left() < spare_memory) short_of_memory_ = true;
  }
}

// Little of it may be left while ranks end, so the words come last.
Failure Job::shortage() const {
  return Failure{"no memory left for " + std::to_string(ranks_.size()) + " ranks on stacks of " +
                 std::to_string(stacks_->bytes() >> 10) + " KiB, and their messages: " + memory_in_words() +
                 "; run with fewer ranks, with a greater limit, or on a machine with more memory"};
}

void Job::go_on(int number, const std::function<void(int)>& body) {
  Rank& rank = at(number);
  running_ = number;
  if (!rank.fiber) {
    rank.fiber = boost::context::fiber(std::allocator_arg, StackAllocator{&*stacks_},
                                       [this, number, &body](boost::context::fiber&& main) {
                                         [[maybe_unused]] const Life life(main_stack_);
                                         main_ = std::move(main);
                                         try {
                                           body(number);
                                         } catch (const Stopped&) {
                                           // run() ends the others
                                         } catch (const std::bad_alloc&) {
                                           short_of_memory_ = true;
                                         }
                                         return std::move(main_);
                                       });
    rank.stack = stacks_->last();
  }
  {
    [[maybe_unused]] const Rest rest({rank.stack, stacks_->bytes()});
    rank.fiber = std::move(rank.fiber).resume();
  }
  if (stacks_->needs_looks(rank.stack) && !stacks_->untouched(rank.stack)) [[unlikely]]
    OverflowReport::end();
}

void Job::unwind(Rank& rank) {
  [[maybe_unused]] const Rest rest({rank.stack, stacks_->bytes()});
  rank.fiber = boost::context::fiber();
}

std::vector<record::ResourceUse> Job::resource_uses(Instant end) {
  if (!contention_) return {};
  contention_->advance(end);
  forget_gone();
  return wire::resource_uses(network_.resources(),
                             [&](int resource) { return contention_->usage(resource); });
}

void Job::stop(std::string why) {
  if (!failure_) failure_ = std::move(why);
  throw Stopped();
}

void Job::finish(int rank, const record::RankSummary& summary) {
  summaries_[static_cast<std::size_t>(rank)] = summary;
  at(rank).finished = true;
  --left_;
  publish(rank, never, never);
}

std::string Job::describe_deadlock() {
  std::vector<wire::Waiter> waiters;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const Rank& rank = ranks_[i];
    wire::Waiter waiter{};
    waiter.rank = static_cast<std::int32_t>(i);
    waiter.finished = rank.finished ? 1 : 0;
    waiter.failed = summaries_[i].failed;
    waiter.finish = summaries_[i].finish.picoseconds();
    if (rank.why.call) wire::write(waiter.wait, rank.why);
    waiter.lost = rank.lost;
    waiter.unsent = rank.unsent;
    for (std::size_t j = 0; j < rank.joined.size(); ++j) wire::write(waiter.joined[j], rank.joined[j]);
    if (!rank.finished) stuck_.push_back(waiter.rank);
    waiters.push_back(waiter);
  }
  return wire::describe_deadlock(waiters);
}

// --- bounds

// The bound falls if the rank acts on a message that was not announced yet: counts like an announcement.
void Job::publish(int number, std::int64_t clock, std::int64_t bound) {
  Rank& rank = at(number);
  rank.clock = clock;
  if (bound < bounds_[number]) ++rank.announced;
  set_bound(number, bound);
}

void Job::wake(int number) {
  Rank& rank = at(number);
  if (!rank.asleep) return;
  rank.asleep = false;
  turns_.emplace(bounds_[number], number);
}

// `number` waits for another rank's bound. If a message has woken it before, it may still be among the watchers.
void Job::watch(int number) {
  Rank& rank = at(number);
  Rank& blocker = at(rank.blocker);
  if (std::exchange(rank.watches, rank.blocker) != rank.blocker) blocker.watchers.push_back(number);
  blocker.watched = std::min(blocker.watched, rank.needs);
}

// True if `number` waits for all ranks at once. That requires a bound of its own that is high enough: the ranks with
// lower bounds can then act without it, unless they wait for more than their events need; for these see wake_crowd().
bool Job::join_crowd(int number) {
  Rank& rank = at(number);
  if (std::exchange(rank.picky, false)) return false;
  if (rank.everyone > bounds_[number] || rank.everyone <= bounds_.least()) return false;
  if (rank.queued > rank.everyone) {
    rank.queued = rank.everyone;
    crowd_.emplace(rank.everyone, number);
  }
  return true;
}

// Wakes ranks of the crowd: those whose awaited bound all ranks have reached; and, if no rank can act, the one with the
// least awaited bound, since it may wait for more than it needs.
void Job::wake_crowd() {
  while (!crowd_.empty() && (turns_.empty() || crowd_.top().first <= bounds_.least())) {
    const auto [bound, number] = crowd_.top();
    crowd_.pop();
    Rank& rank = at(number);
    if (rank.queued == bound) rank.queued = never;
    if (!rank.asleep) continue;
    if (rank.everyone > bound && rank.everyone < rank.queued) {  // woken meanwhile, it waits for more
      rank.queued = rank.everyone;
      crowd_.emplace(rank.everyone, number);
    }
    if (rank.everyone != bound) continue;
    rank.picky = bound > bounds_.least();
    wake(number);
  }
}

// Wakes the watchers of the rank that need no more than `bound`.
void Job::fire(int number, std::int64_t bound) {
  Rank& rank = at(number);
  rank.watched = unwatched;
  std::erase_if(rank.watchers, [&](int watcher) {
    Rank& waits = at(watcher);
    const bool asks = waits.asleep && waits.blocker == number;
    if (asks && waits.needs > bound) {
      rank.watched = std::min(rank.watched, waits.needs);
      return false;
    }
    if (waits.watches == number) waits.watches = -1;
    if (asks) wake(watcher);
    return true;
  });
}

void Job::mark(const match::Sources& sources) {
  ++stamp_;
  for (const int source : sources.named) marks_[static_cast<std::size_t>(source)] = stamp_;
}

bool Job::direct(int rank, const match::Sources& sources) const {
  if (!sources.everyone) return marks_[static_cast<std::size_t>(rank)] == stamp_;
  return rank != sources.except;
}

// The least bound with which `rank` does not block `self`. On a tie the message of the lower rank comes first.
std::int64_t Job::threshold(int self, int rank, const match::Arrival& key,
                            const match::Sources& sources) const {
  const std::int64_t at = key.at.picoseconds();
  const Least& la = lookahead(self, rank);
  const std::int64_t chained = at - la.chain + 1;
  if (!direct(rank, sources)) return chained;
  return std::max(at - la.message + (rank > key.source ? 0 : 1), chained);
}

std::optional<int> Job::blocking_rank(int self, const match::Arrival& key, const match::Sources& sources) {
  if (!sources.everyone) mark(sources);
  std::int64_t furthest = -1, needs = 0;
  int blocker = -1, blockers = 0;
  const int most = at(self).picky ? std::numeric_limits<int>::max() : settings_.most_blockers;
  const auto consider = [&](int rank) {
    if (rank == self) return true;
    const std::int64_t bound = bounds_[rank], needed = threshold(self, rank, key, sources);
    if (bound >= needed) return true;
    if (bound > furthest) {
      furthest = bound;
      blocker = rank;
      needs = needed;
    }
    return ++blockers < most;
  };
  for (const int source : sources.named) consider(source);
  const Least& least = least_[at(self).group];
  const std::int64_t limit = key.at.picoseconds() - (sources.everyone ? least.message : least.chain) + 1;
  bounds_.below(limit, consider);
  if (blocker < 0) return std::nullopt;
  at(self).blocker = blocker;
  at(self).needs = needs;
  at(self).everyone = blockers < most ? 0 : limit;
  return blocker;
}

std::int64_t Job::horizon(int self, const match::Sources& sources, std::int64_t most) {
  if (!sources.everyone) mark(sources);
  std::int64_t reached = most + 1;
  const auto consider = [&](int rank) {
    if (rank == self) return true;
    const Least& la = lookahead(self, rank);
    const std::int64_t ahead = direct(rank, sources) ? std::min(la.message, la.chain) : la.chain;
    reached = std::min(reached, bounds_[rank] + ahead);
    return true;
  };
  for (const int source : sources.named) consider(source);
  const Least& least = least_[at(self).group];
  bounds_.below(reached - (sources.everyone ? std::min(least.message, least.chain) : least.chain), consider);
  return reached - 1;
}

}  // namespace emu::fiber
