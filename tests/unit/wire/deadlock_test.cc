// Descriptions of ranks that are blocked for good.
#include "wire/deadlock.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "wire/shared_wire.h"

namespace emu::wire {
namespace {

// Another thread reads the reason after the bound was raised, while the rank wakes in vain and blocks again.
// ThreadSanitizer detects whether the rank writes meanwhile.
TEST(DeadlockTest, WhyARankWaitsStaysAsItIsOnceItsBoundIsRaised) {
  model::Parameters parameters;
  parameters.latency = Interval::picoseconds(1000);
  const model::Network network(parameters, 1);
  const NodeMap node_map(1);
  auto region = Region::create(Table::bytes(node_map) + (std::size_t{1} << 20));
  ASSERT_TRUE(region);
  Table::create(region->base(), node_map);
  SharedWire wire(region->borrowed(), node_map, 0, network, [](const std::string& text) { FAIL() << text; });
  Table table(region->base(), node_map, 0, Lookaheads(Interval()));

  std::atomic<bool> read = false;
  std::thread reader([&] {
    while (!table.all_blocked()) usleep(100);
    const Waiter w = waiter(table, node_map, 0);
    EXPECT_EQ(describe_deadlock({w}),
              "deadlock: no rank can continue.\n"
              "  rank 0 waits in MPI_Waitall for rank 3, tag 7 (and 1 more request)");
    read.store(true, std::memory_order_relaxed);  // relaxed, so that ThreadSanitizer infers no order from it
  });
  const match::Bounds::Block block{Instant(), Instant::never(), Interval(), {"MPI_Waitall", 3, 7, 2, {}}};
  while (!read.load(std::memory_order_relaxed)) {
    EXPECT_TRUE(wire.blocked(block, wire.announced()));
    usleep(100);
  }
  EXPECT_TRUE(wire.blocked(block, wire.announced()));
  reader.join();
}

Waiter waits(std::int32_t rank) { return {.rank = rank, .wait = {"MPI_Recv", 0, 1, 1}}; }

TEST(DeadlockTest, WhatWasLostAtNodesThatWereDownIsSaidOfThoseThatCameBack) {
  Waiter lost_two = waits(5), finished = {.rank = 0, .finished = 1},
         failed = {.rank = 3, .finished = 1, .failed = 1};
  lost_two.lost = {2, 1500, 0};
  finished.lost = {1, 10, 5};  // it may not have looked at all messages that arrived
  finished.unsent = {1, 600, 5};
  failed.lost = failed.unsent = {7, 10, 5};
  failed.finish = 2000;
  EXPECT_EQ(describe_deadlock({finished, failed, lost_two}),
            "deadlock: no rank can continue.\n"
            "  rank 5 waits in MPI_Recv for rank 0, tag 1\n"
            "  lost while the node of rank 0 was down: 1 message from it, to rank 5 at 600 ps\n"
            "  lost while the node of rank 5 was down: 2 messages to it, the first from rank 0 at 1.5 ns\n"
            "  finished already: 1 rank\n"
            "  failed with its node: rank 3 at 2 ns");
}

TEST(DeadlockTest, CollectivesInWhichMembersDoNotAgreeAreNamed) {
  const auto joins = [](Waiter w, const std::vector<Joined>& last) {
    std::copy(last.begin(), last.end(), w.joined.begin());
    return w;
  };
  const auto of = [](const char* call, int first, int root, std::int64_t number, std::int64_t bytes) {
    Joined joined = {{}, first, root, 4, number, bytes, 0};
    std::strcpy(joined.call, call);
    return joined;
  };
  const Joined fine = of("MPI_Bcast", 0, 0, 1, 8), two = of("MPI_Bcast", 0, 2, 2, 8),
               one = of("MPI_Bcast", 0, 1, 2, 16), barrier = of("MPI_Barrier", 0, -1, 3, -1);
  const std::vector<Waiter> ranks = {joins(waits(0), {fine, two}),
                                     joins({.rank = 1, .finished = 1}, {fine, one, barrier}),
                                     joins(waits(2), {fine, two})};
  EXPECT_EQ(describe_deadlock(ranks),
            "deadlock: no rank can continue.\n"
            "  rank 0 waits in MPI_Recv for rank 0, tag 1\n"
            "  rank 2 waits in MPI_Recv for rank 0, tag 1\n"
            "  a collective on which its ranks do not agree (number 2 of its communicator): rank 1 calls "
            "MPI_Bcast with root 1 and 16 bytes; ranks 0, 2 call MPI_Bcast with root 2 and 8 bytes\n"
            "  finished already: 1 rank");
  // The halves of a communicator have the same context.
  const Joined left = of("MPI_Bcast", 0, 0, 1, 8), right = of("MPI_Bcast", 1, 1, 1, 16);
  EXPECT_EQ(describe_deadlock({joins(waits(0), {left}), joins(waits(1), {right})}).find("agree"),
            std::string::npos);
}

TEST(DeadlockTest, CollectivesInTheBackgroundAreNamedAndWhoHasNotCalledThem) {
  const auto behind = [](std::int32_t rank, std::array<std::int32_t, 4> peers, std::int32_t count) {
    Waiter w = waits(rank);
    std::strcpy(w.wait.call, "MPI_Wait");
    std::strcpy(w.wait.behind.call, "MPI_Iallreduce");
    w.wait.tag = match::Waiting::no_tag;
    w.wait.behind.context = 4;
    w.wait.behind.number = 2;
    w.wait.behind.peers = peers;
    w.wait.behind.peer_count = count;
    w.joined[0] = {"MPI_Ibarrier", 0, -1, 4, 1, -1, 1};
    w.joined[1] = {"MPI_Iallreduce", 0, -1, 4, 2, -1, 1};
    return w;
  };
  Waiter earlier = waits(1), none = waits(3), unknown = waits(4);
  earlier.joined.fill({"MPI_Ibarrier", 0, -1, 4, 1, -1, 1});
  none.joined[0] = {"MPI_Allreduce", 0, -1, 4, 2, -1, 0};  // a waiting rank
  unknown.joined.fill({"MPI_Bcast", 0, 0, 6, 9, 8, 0});    // it may have joined before these
  EXPECT_EQ(
      describe_deadlock({behind(0, {1, 3}, 2), earlier, behind(2, {0, 1, 3, 4}, 6), none, unknown}),
      "deadlock: no rank can continue.\n"
      "  rank 0 waits in MPI_Wait for MPI_Iallreduce, which waits for ranks 1, 3\n"
      "  rank 1 waits in MPI_Recv for rank 0, tag 1\n"
      "  rank 2 waits in MPI_Wait for MPI_Iallreduce, which waits for ranks 0, 1, 3, 4 and 2 more\n"
      "  rank 3 waits in MPI_Recv for rank 0, tag 1\n"
      "  rank 4 waits in MPI_Recv for rank 0, tag 1\n"
      "  MPI_Iallreduce (number 2 in the background of its communicator) has not been called by ranks 1, 3");
}

TEST(DeadlockTest, OfLossesAtManyRanksSomeAreSaid) {
  std::vector<Waiter> ranks;
  for (int r = 0; r < 35; ++r) {
    ranks.push_back(waits(r));
    ranks.back().lost = {1, 10, 0};
  }
  const std::string text = describe_deadlock(ranks);
  EXPECT_NE(text.find("the node of rank 31 was down"), std::string::npos);
  EXPECT_EQ(text.find("the node of rank 32 was down"), std::string::npos);
  EXPECT_NE(text.find("\n  ... and 3 more like these"), std::string::npos);
}

// Losses are reported in the order of the host.
TEST(DeadlockTest, TheFirstLossIsTheOneOfTheEarliestInstant) {
  const model::Network network(model::Parameters(), 1);
  const NodeMap node_map(1);
  auto region = Region::create(Table::bytes(node_map) + (std::size_t{1} << 20));
  ASSERT_TRUE(region);
  Table::create(region->base(), node_map);
  SharedWire wire(region->borrowed(), node_map, 0, network, [](const std::string& text) { FAIL() << text; });
  Table table(region->base(), node_map, 0, Lookaheads(Interval()));
  const auto at = [](std::int64_t ps) { return Instant::from_picoseconds(ps); };
  wire.lost({true, 4, at(30)});
  wire.lost({true, 7, at(20)});
  wire.lost({true, 6, at(20)});
  wire.lost({true, 2, at(40)});
  wire.lost({false, 1, at(50)});
  const Waiter w = waiter(table, node_map, 0);
  EXPECT_EQ(w.lost.count, 4);
  EXPECT_EQ(w.lost.at, 20);
  EXPECT_EQ(w.lost.peer, 6);
  EXPECT_EQ(w.unsent.count, 1);
  EXPECT_EQ(w.unsent.at, 50);
  EXPECT_EQ(w.unsent.peer, 1);
}

}  // namespace
}  // namespace emu::wire
