// A rank that polls, over a scripted wire: false answers, and loops of them.
#include "rank_fixture.h"

namespace emu::rank {
namespace {

using Polling = RankTest;

TEST_F(Polling, AFalseAnswerCostsAPollATrueOneNothing) {
  wire_.hand_in(Kind::eager, 10, from(1, 4, 10));
  EXPECT_FALSE(rank_->iprobe(world_, 1, 4));
  EXPECT_FALSE(rank_->iprobe(world_, 1, 4));
  EXPECT_EQ(now(), 2 * poll_cost);
  const auto found = rank_->iprobe(world_, any_source, any_tag);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->source, 1);
  EXPECT_EQ(now(), 2 * poll_cost);
  EXPECT_EQ(rank_->clock().breakdown().poll.picoseconds(), 2 * poll_cost);
}

TEST_F(Polling, AFalseAnswerIsAskedForUpToNow) {
  compute(100);
  EXPECT_FALSE(rank_->iprobe(world_, 2, 4));
  bool asked = false;
  for (const auto& q : wire_.questions)
    asked |= !q.everyone && q.sources == std::vector<int>{2} && q.key.at.picoseconds() == 100 &&
             q.key.source > ranks;
  EXPECT_TRUE(asked);
}

// However far a polling loop jumps, it asks at instants t + i * poll and is told at the first that is late
// enough.
TEST_F(Polling, PollingLoopsStayOnTheirGrid) {
  compute(3);
  constexpr std::int64_t arrival = 1'000'000;
  wire_.hand_in(Kind::eager, arrival, from(1, 4, 10));
  std::int64_t asked = 1;
  for (; !rank_->iprobe(world_, any_source, 4); ++asked) ASSERT_EQ((now() - 3) % poll_cost, 0);
  EXPECT_EQ(now(), 3 + (arrival - 3 + poll_cost - 1) / poll_cost * poll_cost);
  EXPECT_LT(asked, 1000);
  EXPECT_GT(asked, 64) << "the first polls are carried out one by one";
}

TEST_F(Polling, ATestInALoopDoesTheSameAndChargesTheReceive) {
  constexpr std::int64_t arrival = 1'000'000;
  Request* request = rank_->ireceive(world_, 1, 4, buffer(10));
  wire_.hand_in(Kind::eager, arrival, from(1, 4, 10));
  int index = -1;
  while (!rank_->test_any({&request, 1}, index)) ASSERT_EQ(now() % poll_cost, 0);
  EXPECT_EQ(index, 0);
  EXPECT_EQ(now(), (arrival + poll_cost - 1) / poll_cost * poll_cost + o_r(10));
  rank_->free(request);
}

TEST_F(Polling, WorkBetweenPollsEndsTheJumping) {
  wire_.hand_in(Kind::eager, 1'000'000, from(1, 4, 10));
  for (int i = 0; i < 200; ++i) {
    const std::int64_t before = now();
    ASSERT_FALSE(rank_->iprobe(world_, 1, 4));
    ASSERT_EQ(now() - before, poll_cost);
    compute(1);
  }
}

}  // namespace
}  // namespace emu::rank
