// A polling rank with a scripted wire: false answers, and loops of them.
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
    asked |= !q.everyone && q.named == std::vector<int>{2} && q.key.at.picoseconds() == 100 &&
             q.key.source > ranks;
  EXPECT_TRUE(asked);
}

TEST_F(Polling, EveryFalseAnswerCostsOnePoll) {
  compute(3);
  constexpr std::int64_t arrival = 1'000'000;
  wire_.hand_in(Kind::eager, arrival, from(1, 4, 10));
  std::int64_t asked = 0;
  for (; !rank_->iprobe(world_, any_source, 4); ++asked) ASSERT_EQ(now(), 3 + (asked + 1) * poll_cost);
  EXPECT_EQ(asked, (arrival - 3 + poll_cost - 1) / poll_cost);
}

// Half of the time since the first false answer is more than a poll from the fourth one on.
TEST_F(Polling, FalseAnswersInARowCostAShareOfTheirTime) {
  model::Parameters p = parameters();
  p.poll_growth = 500'000'000;
  use(p);
  const auto poll = [&] {
    rank_->enter("MPI_Iprobe");
    const std::int64_t before = now();
    EXPECT_FALSE(rank_->iprobe(world_, any_source, 4));
    const std::int64_t cost = now() - before;
    rank_->leave();
    return cost;
  };
  for (int row = 0; row < 2; ++row) {
    for (int i = 0; i < 3; ++i) EXPECT_EQ(poll(), poll_cost);
    EXPECT_EQ(poll(), 10);  // 21 / 2
    EXPECT_EQ(poll(), 15);  // 31 / 2
    compute(100 * poll_cost);
    EXPECT_EQ(poll(), 373);  // (46 + 700) / 2
    if (row == 0) {
      compute(100 * poll_cost + 1);
    } else {
      rank_->enter("MPI_Send");
      rank_->send(world_, 1, 4, buffer(1));
      rank_->leave();
    }
  }
  EXPECT_EQ(poll(), poll_cost);
  rank_->enter("MPI_Wtime");
  rank_->read_clock();
  rank_->leave();
  EXPECT_EQ(poll(), poll_cost);
  EXPECT_EQ(poll(), 10);  // 21 / 2: a reading of the clock is no end of the row
}

// A certain instant is not queried again.
TEST_F(Polling, AsLongAsNothingCanArriveNobodyIsAsked) {
  wire_.certain_until = Instant::from_picoseconds(1000 * poll_cost);
  wire_.hand_in(Kind::eager, 500 * poll_cost + 1, from(1, 4, 10));
  for (int i = 0; i < 2; ++i) ASSERT_FALSE(rank_->iprobe(world_, any_source, 4));
  EXPECT_EQ(wire_.asked_ahead, 1);
  const std::size_t questions = wire_.questions.size();
  for (int i = 2; i <= 500; ++i) ASSERT_FALSE(rank_->iprobe(world_, any_source, 4));
  EXPECT_EQ(now(), 501 * poll_cost);
  EXPECT_EQ(wire_.questions.size(), questions);
  EXPECT_TRUE(rank_->iprobe(world_, any_source, 4));
  EXPECT_EQ(wire_.asked_ahead, 1);
}

TEST_F(Polling, WhatTheRankSendsMakesThingsUncertainAgain) {
  wire_.certain_until = Instant::from_picoseconds(1000 * poll_cost);
  for (int i = 0; i < 3; ++i) ASSERT_FALSE(rank_->iprobe(world_, any_source, 4));
  const std::size_t questions = wire_.questions.size();
  rank_->send(world_, 1, 4, buffer(1));
  ASSERT_FALSE(rank_->iprobe(world_, any_source, 4));
  EXPECT_GT(wire_.questions.size(), questions);
}

TEST_F(Polling, AnotherQuestionIsAskedAnew) {
  wire_.certain_until = Instant::from_picoseconds(1000 * poll_cost);
  wire_.hand_in(Kind::eager, 10, from(2, 5, 10));
  for (int i = 0; i < 5; ++i) ASSERT_FALSE(rank_->iprobe(world_, 1, 4));
  EXPECT_TRUE(rank_->iprobe(world_, 2, 5));
}

TEST_F(Polling, OthersAreToldNowAndThen) {
  wire_.certain_until = Instant::from_picoseconds(1'000'000);
  for (int i = 0; i < 1000; ++i) {
    rank_->enter("MPI_Iprobe");
    ASSERT_FALSE(rank_->iprobe(world_, 1, 4));
    rank_->leave();
  }
  EXPECT_GE(wire_.ran.size(), 1000 / 64);
  EXPECT_LE(wire_.ran.size(), 30);
}

TEST_F(Polling, AReadingOfTheClockTellsWhenItBeginsAndCostsAPoll) {
  compute(1);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(rank_->read_clock().picoseconds(), 1 + i * poll_cost);
  EXPECT_EQ(now(), 1 + 100 * poll_cost);
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

TEST_F(Polling, WorkBetweenPollsChangesNothing) {
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
