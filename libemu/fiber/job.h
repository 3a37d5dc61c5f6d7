// The second implementation of match::Wire: all ranks of a job are fibers of one process, on one thread.
//
// Bounds have the meaning that wire/table.h gives them, and its proof holds here with less to prove: no two ranks act at one
// moment, so that every question sees all bounds as they are. A rank that would sleep gives its turn away. It may have it
// again once a message lowers its bound, or the rank that was in its way is further. Of those that may, the one with the
// least bound is next, so that most questions find nobody in the way.
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
#include "fiber/messages.h"
#include "fiber/stacks.h"
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
  std::optional<int> in_the_way(const match::Arrival& key, const match::Sources& sources,
                                std::uint64_t announced) override;
  std::optional<Instant> horizon(const match::Sources& sources, Instant most,
                                 std::uint64_t announced) override;
  std::optional<int> short_of(int rank, Instant at, std::uint64_t announced) override;
  std::optional<Instant> wanted() override;
  Landing landing(const match::Message& message) override;
  std::uint64_t landings() override;
  void advance(Instant until, int source) override;
  void landed(match::Message& message) override;
  void sleep(std::uint64_t announced, bool in_the_way) override;

 private:
  Job& job_;
  const int self_;
};

class Job {
 public:
  struct Settings {
    bool contents = true;                // false: messages have lengths, but nothing in them
    std::size_t stack_bytes = 64 << 10;  // of a rank
    // So many messages may be on their way before a rank that sends lets others go on.
    std::int64_t most_messages = 1 << 20;
  };

  // `network` outlives it.
  Job(const model::Network& network, int ranks, const Settings& settings);
  Job(const Job&) = delete;

  FiberWire& wire(int rank) { return wires_[static_cast<std::size_t>(rank)]; }

  // Calls body(rank) once for each rank, on a fiber of its own. Failure: what stop() was called with, or the report of a
  // deadlock.
  Result<void> run(const std::function<void(int)>& body);
  // By a rank: ends the job. Does not return.
  [[noreturn]] void stop(std::string why);
  // By a rank, as the last thing: it does nothing more.
  void finish(int rank, const record::RankSummary& summary);
  const record::RankSummary& summary(int rank) const { return summaries_[static_cast<std::size_t>(rank)]; }
  // What shared resources have carried, when the last rank has finished at `end`.
  std::vector<record::ResourceUse> resource_uses(Instant end);
  // Ranks that will never act again: those of the deadlock that run() has reported.
  const std::vector<int>& stuck() const { return stuck_; }

 private:
  friend class FiberWire;

  struct Rank {
    std::int64_t clock = 0;  // no announcement lowers the bound below it
    std::int64_t reaction = 0;
    std::uint64_t announced = 0;
    match::Message* first = nullptr;  // handed over and not drained, linked by `next`
    match::Message* last = nullptr;
    bool asleep = false;
    bool finished = false;
    // Of in_the_way() or short_of(), the last time: who was in the way, and the bound with which it is not any more.
    int blocker = 0;
    std::int64_t needs = 0;
    std::int64_t watched = 0;   // the least of what others need of this rank's bound
    std::vector<int> watchers;  // those; some do not wait any more
    int watches = -1;           // whose watchers it has joined last; -1: it is out of them again
    std::size_t group = 0;      // of its node
    match::Waiting why{.call = nullptr};
    wire::Losses lost{}, unsent{};
    std::vector<match::Joined> joined;  // the last, in turn
    std::size_t joined_count = 0;
    boost::context::fiber fiber;
  };
  struct Least {
    std::int64_t message, chain;  // model::Lookahead
  };
  struct Stopped {};  // carries a rank that has called stop() to its end

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
  void give_turn_away() { main_ = std::move(main_).resume(); }
  void go_on(int rank, const std::function<void(int)>& body);
  std::string describe_deadlock();

  // As wire::Table has them.
  const Least& lookahead(int to, int from) const {
    return lookaheads_[ranks_[static_cast<std::size_t>(to)].group * groups_ +
                       ranks_[static_cast<std::size_t>(from)].group];
  }
  void mark(const match::Sources& sources);
  bool direct(int rank, const match::Sources& sources) const;
  std::int64_t threshold(int self, int rank, const match::Arrival& key, const match::Sources& sources) const;
  std::optional<int> in_the_way(int self, const match::Arrival& key, const match::Sources& sources);
  std::int64_t horizon(int self, const match::Sources& sources, std::int64_t most);

  // A message in transit comes to the resources that it shares.
  void put_in_transit(int to, match::Message& message);
  void forget_gone();

  const Settings settings_;
  const model::Network& network_;
  std::vector<std::byte> resources_;                  // the state of `contention_`
  std::optional<contention::Contention> contention_;  // where messages share resources
  std::vector<std::int32_t> route_;                   // scratch
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

  using Turn = std::pair<std::int64_t, int>;  // a bound when it was lowered or was waited for, and whose
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns_;
  std::optional<Stacks> stacks_;
  boost::context::fiber main_;  // suspended while a rank has its turn
  int left_ = 0;
  std::optional<std::string> failure_;
  std::vector<int> stuck_;
};

}  // namespace emu::fiber
