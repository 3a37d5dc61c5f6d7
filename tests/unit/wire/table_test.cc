// The table of bounds in plain memory, with threads as ranks. A lost wake-up appears as a test that does not end.
#include "wire/table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "wire/heap.h"

namespace emu::wire {
namespace {

using match::Arrival;
using match::Sources;

constexpr std::int64_t never = Instant::never().picoseconds();
constexpr std::int64_t lookahead = 10;

Instant at(std::int64_t ps) { return Instant::from_picoseconds(ps); }

class TableTest : public testing::Test {
 protected:
  explicit TableTest(int ranks = 4) : ranks_(ranks), node_map_(ranks) {
    memory_.reset(static_cast<std::byte*>(std::aligned_alloc(64, bytes)));
    std::fill_n(memory_.get(), bytes, std::byte{0});
    Table::create(memory_.get(), node_map_);
    use([](int) { return Lookaheads(Interval::picoseconds(lookahead)); });
  }
  // Attaches all ranks again.
  template <class F>
  void use(F lookaheads) {
    tables_.clear();
    for (int i = 0; i < ranks_; ++i)
      tables_.push_back(std::make_unique<Table>(memory_.get(), node_map_, i, lookaheads(i)));
  }
  Table& table(int rank) { return *tables_[static_cast<std::size_t>(rank)]; }
  std::int64_t bound(int rank) { return table(0).bound(rank).bound(); }
  std::uint64_t announced(int rank) { return table(0).bound(rank).announced(); }
  // Blocks a rank whose clock is at `clock`.
  bool block(int rank, std::int64_t clock, std::int64_t bound, std::uint64_t seen,
             std::int64_t reaction = 0) {
    return table(rank).raise_if_quiet({at(clock), at(bound), Interval::picoseconds(reaction)}, seen);
  }
  template <class F>
  void in_threads(F work) {
    std::vector<std::thread> threads;
    for (int i = 0; i < ranks_; ++i) threads.emplace_back(work, i);
    for (std::thread& t : threads) t.join();
  }

  static constexpr std::size_t bytes = 16 << 20;
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  const int ranks_;
  const NodeMap node_map_;
  std::unique_ptr<std::byte, Free> memory_;
  std::vector<std::unique_ptr<Table>> tables_;
};

TEST_F(TableTest, AnAnnouncementLowersTheBoundAndCounts) {
  ASSERT_TRUE(block(1, 100, never, 0));
  table(0).announce(1, 500);
  EXPECT_EQ(bound(1), 500);
  EXPECT_EQ(announced(1), 1u);
  table(2).announce(1, 900);  // later than its bound
  EXPECT_EQ(bound(1), 500);
  EXPECT_EQ(announced(1), 2u);
  table(2).announce(1, 300);
  EXPECT_EQ(bound(1), 300);
}

TEST_F(TableTest, NoAnnouncementLowersABoundBelowTheClockAndItsReaction) {
  ASSERT_TRUE(block(1, 100, never, 0, 7));
  table(0).announce(1, 50);
  EXPECT_EQ(bound(1), 107);
  EXPECT_EQ(announced(1), 1u);
}

TEST_F(TableTest, ABlockedRankDoesNotRaiseItsBoundOverWhatWasAnnounced) {
  const std::uint64_t seen = announced(1);
  table(0).announce(1, 500);
  EXPECT_FALSE(block(1, 100, never, seen));
  EXPECT_LT(bound(1), never);
  EXPECT_TRUE(block(1, 100, 500, announced(1)));
  EXPECT_EQ(bound(1), 500);
}

// It may find a message that was handed over before its announcement, which then no longer lowers a bound.
TEST_F(TableTest, ARankThatActsSoonerThanItSaidCountsThatItself) {
  ASSERT_TRUE(block(1, 100, never, 0));
  table(1).raise(200, 200);
  EXPECT_EQ(bound(1), 200);
  EXPECT_EQ(announced(1), 1u);
  table(0).announce(1, 150);
  EXPECT_EQ(bound(1), 200);
  EXPECT_EQ(announced(1), 2u);
  table(1).raise(300, 300);
  EXPECT_EQ(announced(1), 2u);
}

TEST_F(TableTest, WhoStandsInTheWay) {
  for (int rank : {1, 2, 3}) table(rank).raise(100, 100);
  const Sources everyone{true, {}, -1};
  EXPECT_EQ(table(0).blocking_rank({at(109), 1, 0}, everyone, 0), std::nullopt);
  // A tie: at 110, a message of rank 1 would precede one of rank 2; a message of rank 3 would follow it.
  const std::optional<int> tied = table(0).blocking_rank({at(110), 2, 0}, everyone, 0);
  ASSERT_TRUE(tied);
  EXPECT_LT(*tied, 3);
  for (int rank : {1, 2}) table(rank).raise(101, 101);
  EXPECT_EQ(table(0).blocking_rank({at(110), 2, 0}, everyone, 0), std::nullopt);
  EXPECT_EQ(table(0).blocking_rank({at(111), 3, 0}, everyone, 0), 1)
      << "of those in the way, the one that is furthest";
  for (int rank : {1, 2}) table(rank).raise(102, 102);
  EXPECT_EQ(table(0).blocking_rank({at(111), 3, 0}, everyone, 0), 3);
}

TEST_F(TableTest, WhoDoesNotMatterItselfStandsTwoLookaheadsBack) {
  for (int rank : {2, 3}) table(rank).raise(never, never);
  table(1).raise(100, 100);
  const int two = 2;
  const Sources only_two{false, {&two, 1}, -1};
  EXPECT_EQ(table(0).blocking_rank({at(119), 2, 0}, only_two, 0), std::nullopt);
  EXPECT_EQ(table(0).blocking_rank({at(121), 2, 0}, only_two, 0), 1);
  const Sources exempt{true, {}, 1};
  EXPECT_EQ(table(0).blocking_rank({at(119), 1, 0}, exempt, 0), std::nullopt);
  EXPECT_EQ(table(0).blocking_rank({at(119), 1, 0}, Sources{true, {}, -1}, 0), 1);
}

// Ranks 0 and 1 are near each other, and ranks 2 and 3 too. A message takes 10 within a pair, and 100 between pairs.
class TwoClusters : public TableTest {
 protected:
  TwoClusters() {
    model::Topology topology;
    topology.ranks = {{0, 0}, {1, 0}, {2, 1}, {3, 1}};
    topology.groups = 2;
    const model::Link near{Interval::picoseconds(10), {}, {}, {}},
        far{Interval::picoseconds(100), {}, {}, {}};
    topology.between = {near, far, far, near};
    topology.inside = {near, near};
    const model::Network network(model::Parameters(), topology);
    use([&](int self) { return Lookaheads(network, node_map_, self); });
    for (int rank : {1, 2, 3}) table(rank).raise(1000, 1000);
  }
  std::optional<int> blocking_rank(std::int64_t arrival, int source = 0) {
    return table(0).blocking_rank({at(arrival), source, 0}, Sources{true, {}, -1}, announced(0));
  }
};

TEST_F(TwoClusters, ADistantRankStandsFurtherBack) {
  table(1).raise(1090, 1090);
  EXPECT_EQ(blocking_rank(1099), std::nullopt);
  EXPECT_TRUE(blocking_rank(1101));
  for (int rank : {2, 3}) table(rank).raise(1001, 1001);
  EXPECT_EQ(blocking_rank(1100), std::nullopt);
  EXPECT_EQ(blocking_rank(1101), 1);
}

// A message of rank 2 makes rank 1 (or rank 3) send another one: 110 in all. The query may also name that
// rank alone.
TEST_F(TwoClusters, AChainOfMessagesIsNoSooner) {
  for (int rank : {1, 3}) table(rank).raise(never, never);
  EXPECT_EQ(blocking_rank(1099), std::nullopt);
  EXPECT_EQ(blocking_rank(1101), 2);
  const int one = 1;
  const auto asked = [&](std::int64_t arrival) {
    return table(0).blocking_rank({at(arrival), 1, 0}, Sources{false, {&one, 1}, -1}, announced(0));
  };
  EXPECT_EQ(asked(1109), std::nullopt);
  EXPECT_EQ(asked(1111), 2);
}

TEST_F(TableTest, SomethingAnnouncedSinceMustBeLookedAtFirst) {
  for (int rank : {1, 2, 3}) table(rank).raise(never, never);
  const std::uint64_t seen = announced(0);
  table(1).announce(0, 50);
  EXPECT_EQ(table(0).blocking_rank({at(10), 1, 0}, Sources{true, {}, -1}, seen), 0);
}

TEST_F(TableTest, AStandstillIsWhenNobodyWillAct) {
  for (int rank : {0, 1, 2}) ASSERT_TRUE(block(rank, 100, never, 0));
  EXPECT_FALSE(table(0).all_blocked());
  table(3).announce(1, 500);
  table(3).raise(never, never);
  EXPECT_FALSE(table(0).all_blocked()) << "a message is under way";
  ASSERT_TRUE(block(1, 500, never, announced(1)));
  EXPECT_TRUE(table(0).all_blocked());
}

TEST_F(TableTest, AnnouncementsOfManyAllCountAndTheLeastRemains) {
  constexpr int each = 20000;
  ASSERT_TRUE(block(0, 0, never, 0));
  in_threads([&](int self) {
    if (self == 0) return;
    for (int i = 0; i < each; ++i) table(self).announce(0, 1'000'000 - i * 4 - self);
  });
  EXPECT_EQ(announced(0), 3u * each);
  EXPECT_EQ(bound(0), 1'000'000 - (each - 1) * 4 - 3);
}

// An event between the query and the sleep. If the rank does not notice it, the test does not end.
TEST_F(TableTest, NobodySleepsOverWhatHasHappened) {
  for (int rank : {2, 3}) table(rank).raise(never, never);
  const Arrival key{at(100), 1, 0};
  EXPECT_EQ(table(0).blocking_rank(key, Sources{true, {}, -1}, 0), 1);
  table(1).raise(100, 100);
  table(0).sleep(0, Table::WakeUp::bound);
  EXPECT_EQ(table(0).blocking_rank(key, Sources{true, {}, -1}, 0), std::nullopt);
  table(1).announce(0, 150);
  table(0).sleep(0, Table::WakeUp::announcement);
  EXPECT_EQ(announced(0), 1u);
}

// A token circulates. Every rank except its owner sleeps, and the owner's announcement must wake the next one.
TEST_F(TableTest, NoWakeUpIsLostToAnAnnouncement) {
  constexpr std::uint64_t rounds = 5000;
  in_threads([&](int self) {
    Table& own = table(self);
    for (std::uint64_t i = 0; i < rounds; ++i) {
      if (self != 0 || i > 0)
        while (announced(self) < i + (self != 0)) {
          const std::uint64_t seen = announced(self);
          if (seen < i + (self != 0) && block(self, 0, never, seen))
            own.sleep(seen, Table::WakeUp::announcement);
        }
      own.announce((self + 1) % ranks_, static_cast<std::int64_t>(i));
      own.raise(0, never);
    }
  });
  EXPECT_EQ(announced(0), rounds);
}

// Every rank advances by its own steps. None passes an instant at which another rank could still send to it.
TEST_F(TableTest, NoWakeUpIsLostToABoundThatRises) {
  constexpr std::int64_t end = 30000;
  std::atomic<int> early = 0;
  in_threads([&](int self) {
    Table& own = table(self);
    for (std::int64_t clock = 1; clock < end; clock += self + 1) {
      own.raise(clock, clock);
      while (own.blocking_rank({at(clock), self, 0}, Sources{true, {}, -1}, 0))
        own.sleep(0, Table::WakeUp::bound);
      for (int s = 0; s < ranks_; ++s)
        if (bound(s) + lookahead < clock) ++early;
    }
    own.raise(never, never);
  });
  EXPECT_EQ(early, 0);
}

// So many ranks that several share a bit in a set of watchers.
class ManyRanks : public TableTest {
 protected:
  ManyRanks() : TableTest(1000) {
    for (int rank = 0; rank < ranks_; ++rank) table(rank).raise(never, never);
  }
};

TEST_F(ManyRanks, WhoSharesABitIsNotTakenForTheOther) {
  constexpr int slow = 900;
  table(slow).raise(0, 0);
  std::atomic<int> awake = 0;
  const auto wait = [&](int self, std::int64_t until) {
    while (table(self).bound_below(slow, until, announced(self)))
      table(self).sleep(announced(self), Table::WakeUp::bound);
    ++awake;
  };
  std::thread soon(wait, 4, 100), late(wait, 5, 200), elsewhere(wait, 300, 200);
  while (table(0).record(4).asleep != 1 || table(0).record(5).asleep != 1 ||
         table(0).record(300).asleep != 1) {
  }
  table(slow).raise(100, 100);
  soon.join();
  EXPECT_EQ(awake, 1);
  EXPECT_EQ(table(0).record(5).asleep, 1u);
  EXPECT_EQ(table(0).record(300).asleep, 1u);
  table(slow).raise(200, 200);
  late.join();
  elsewhere.join();
  EXPECT_EQ(awake, 3);
}

TEST(TableSize, GrowsNoFasterThanTheNumberOfRanks) {
  const std::size_t few = Table::bytes(NodeMap(5000)), many = Table::bytes(NodeMap(10000));
  EXPECT_LE(many, 2 * few);
}

TEST_F(TableTest, BlocksComeBackToTheirOwnerWhoeverReleasesThem) {
  constexpr int rounds = 3000;
  std::vector<std::unique_ptr<Heap>> heaps;
  for (int i = 0; i < ranks_; ++i) heaps.push_back(std::make_unique<Heap>(memory_.get(), bytes, table(i), i));
  std::vector<std::atomic<match::Message*>> slots(static_cast<std::size_t>(ranks_));
  std::atomic<int> damaged = 0, full = 0;
  in_threads([&](int self) {
    Heap& heap = *heaps[static_cast<std::size_t>(self)];
    for (int i = 0; i < rounds; ++i) {
      // Blocks of 1 KiB: without reuse, all rounds together would need 12 MiB.
      match::Message* m = heap.allocate(700);
      if (!m) {
        ++full;
        return;
      }
      m->envelope = {0, self, i, 700};
      std::fill_n(m->payload(), 700, static_cast<std::byte>(self + i));
      match::Message* got = slots[static_cast<std::size_t>((self + i) % ranks_)].exchange(m);
      if (!got) continue;
      const auto filled = static_cast<std::byte>(got->envelope.source + got->envelope.tag);
      if (std::any_of(got->payload(), got->payload() + 700, [&](std::byte b) { return b != filled; }))
        ++damaged;
      heap.release(got);
    }
  });
  EXPECT_EQ(damaged, 0);
  EXPECT_EQ(full, 0);
  EXPECT_LT(table(0).header().heap_top.load(), Table::bytes(node_map_) + (2u << 20));
}

TEST_F(TableTest, AFullHeapSaysSo) {
  Heap heap(memory_.get(), bytes, table(0), 0);
  EXPECT_EQ(heap.allocate(static_cast<model::Bytes>(bytes)), nullptr);
  EXPECT_EQ(heap.allocate(model::Bytes{1} << 60), nullptr);
}

}  // namespace
}  // namespace emu::wire
