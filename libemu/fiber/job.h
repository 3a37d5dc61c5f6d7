// Second implementation of match::Wire: all ranks of a job are fibers of one process, on one thread.
//
// Bounds have the meaning of wire/table.h, and the proof there applies with fewer cases: no two ranks act at the
// same moment, so every question sees all bounds of one moment. A rank that would sleep gives control to another
// rank. It may continue once a message lowers its bound, or the rank that blocked it has the needed bound. Of the
// ranks that may continue, the one with the least bound is next, so that most questions find no blocking rank.
#pragma once

#include <array>
#include <boost/context/fiber.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "base/failure.h"
#include "contention/contention.h"
#include "fiber/bounds.h"
#include "fiber/flows.h"
#include "fiber/messages.h"
#include "fiber/stacks.h"
#include "fiber/switches.h"
#include "match/wire.h"
#include "wire/deadlock.h"

namespace emu::fiber {

class Job;

// The wire of one rank.
class FiberWire final : public match::Wire {
 public:
  FiberWire(Job& job, int self) : job_(job), self_(self) {}

  match::Message* allocate(model::Bytes payload) override;
  void release(match::Message* message) override;
  void deliver(int to, match::Message* message) override;
  std::uint64_t announced() override;
  match::Message* drain() override;
  void running(Instant clock) override;
  bool serving(Instant clock, Instant bound, std::uint64_t announced) override;
  bool blocked(const Block& block, std::uint64_t announced) override;
  void joins(const match::Joined& collective) override;
  void lost(const match::Loss& loss) override;
  std::optional<int> blocking_rank(const match::Arrival& key, const match::Sources& sources,
                                   std::uint64_t announced) override;
  std::optional<Instant> horizon(const match::Sources& sources, Instant most,
                                 std::uint64_t announced) override;
  std::optional<int> bound_below(int rank, Instant at, std::uint64_t announced) override;
  std::optional<Instant> wanted() override;
  match::Landing landing(const match::Message& message) override;
  std::uint64_t landing_changes() override;
  void advance(const match::Arrival& until) override;
  void landed(match::Message& message) override;
  void sleep(std::uint64_t announced, WakeUp wake_up) override;

 private:
  Job& job_;
  const int self_;
};

class Job {
 public:
  struct Settings {
    bool contents = true;                // false: messages have lengths, but no data
    std::size_t stack_bytes = 64 << 10;  // of a rank
    // Number of messages in flight up to which a rank that sends keeps control.
    std::int64_t most_messages = 1 << 20;
    // Number of ranks that block another one of which the best to wait for is searched. With as many it waits for all.
    int most_blockers = 16;
    std::optional<Stacks::Guard> guard = {};  // nothing: the best that the system has
  };

  // `network` outlives the object.
  Job(const model::Network& network, int ranks, const Settings& settings);
  Job(const Job&) = delete;

  FiberWire& wire(int rank) { return wires_[static_cast<std::size_t>(rank)]; }

  // Calls body(rank) once for each rank, on a fiber of its own. Fails with the argument of stop(), or with the deadlock
  // report.
  Result<void> run(const std::function<void(int)>& body);
  // Called by a rank: ends the job. Does not return.
  [[noreturn]] void stop(std::string why);
  // Called by a rank at its end: the rank does nothing more.
  void finish(int rank, const record::RankSummary& summary);
  const record::RankSummary& summary(int rank) const { return summaries_[static_cast<std::size_t>(rank)]; }
  // Use of the shared resources, when the last rank has finished at `end`.
  std::vector<record::ResourceUse> resource_uses(Instant end);
  // Ranks that will never act again: those of the deadlock that run() has reported.
  const std::vector<int>& stuck() const { return stuck_; }

 private:
  friend class FiberWire;

  static constexpr std::int64_t never = Instant::never().picoseconds();
  struct Rank {
    std::int64_t clock = 0;  // an announcement lowers the bound no further, except by an operation
    std::int64_t reaction = 0;
    std::uint64_t announced = 0;
    match::Message* first = nullptr;  // messages handed over and not drained, linked by `next`
    match::Message* last = nullptr;
    bool asleep = false;
    bool finished = false;
    // Result of the last blocking_rank() or bound_below(): the blocking rank, and the bound that it has to reach.
    int blocker = 0;
    std::int64_t needs = 0;
    std::int64_t watched = 0;     // the least bound of this rank that others need
    std::vector<int> watchers;    // these others; some may not wait any more
    int watches = -1;             // the rank whose watchers include this one; -1: none
    std::int64_t everyone = 0;    // of the last blocking_rank(), if many block: a bound for all that suffices
    std::int64_t queued = never;  // the least such bound with an entry in crowd_; never: there is none
    bool picky = false;           // it waits for one rank next, even if many block
    std::size_t group = 0;        // of its node
    match::Waiting why{.call = nullptr};
    wire::Losses lost{}, unsent{};
    std::vector<match::Joined> joined;  // the last ones, a ring buffer
    std::size_t joined_count = 0;
    const std::byte* stack = nullptr;  // its lowest byte
    boost::context::fiber fiber;
  };
  struct Least {
    std::int64_t message, chain;  // model::Lookahead
  };
  struct Stopped {};  // unwinds the fiber of a rank that has called stop()

  Rank& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  void set_bound(int rank, std::int64_t bound) {
    bounds_.set(rank, bound);
    if (at(rank).watched <= bound) [[unlikely]]
      fire(rank, bound);
  }
  void publish(int rank, std::int64_t clock, std::int64_t bound);
  [[gnu::noinline]] void fire(int rank, std::int64_t bound);
  void wake(int rank);
  void watch(int rank);
  bool join_crowd(int rank);
  void wake_crowd();
  void give_turn_away() {
    [[maybe_unused]] const Rest rest(main_stack_);
    main_ = std::move(main_).resume();
  }
  void go_on(int rank, const std::function<void(int)>& body);
  void take_turns(const std::function<void(int)>& body);
  void unwind(Rank& rank);
  std::string describe_deadlock();
  Failure shortage() const;

  // As in wire::Table.
  const Least& lookahead(int to, int from) const {
    return lookaheads_[ranks_[static_cast<std::size_t>(to)].group * groups_ +
                       ranks_[static_cast<std::size_t>(from)].group];
  }
  void mark(const match::Sources& sources);
  bool direct(int rank, const match::Sources& sources) const;
  std::int64_t threshold(int self, int rank, const match::Arrival& key, const match::Sources& sources) const;
  std::optional<int> blocking_rank(int self, const match::Arrival& key, const match::Sources& sources);
  std::int64_t horizon(int self, const match::Sources& sources, std::int64_t most);

  // Adds a message in transit to the resources that it shares.
  void put_in_transit(int to, match::Message& message);
  void forget_gone();

  const Settings settings_;
  const model::Network& network_;
  std::vector<std::byte> resources_;                  // the state of `contention_`
  std::optional<contention::Contention> contention_;  // if messages share resources
  Flows flows_;
  std::vector<std::int32_t> route_;  // scratch
  Bounds bounds_;
  Messages messages_;
  std::vector<Rank> ranks_;
  std::vector<FiberWire> wires_;
  std::vector<record::RankSummary> summaries_;
  std::size_t groups_ = 1;
  std::vector<Least> lookaheads_;  // [group of the receiver * groups + group of the sender]
  std::vector<Least> least_;       // of each group of receivers
  std::vector<std::uint32_t> marks_;
  std::uint32_t stamp_ = 0;

  using Turn = std::pair<std::int64_t, int>;  // a rank, and its bound when it was lowered or had been awaited
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns_;
  // Ranks that wait until all bounds are as high. Some do not wait any more.
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> crowd_;
  std::optional<Stacks> stacks_;
  boost::context::fiber main_;  // suspended while a rank runs
  Extent main_stack_;           // found out by the first rank, for Rest
  int running_ = 0;             // the rank that runs, or ran last
  int left_ = 0;
  std::optional<std::string> failure_;
  bool short_of_memory_ = false;
  std::vector<int> stuck_;
};

}  // namespace emu::fiber
