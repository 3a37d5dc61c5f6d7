// The cause of the instant at which a polling rank finds a message: rank/semantics.md, "The cause of an instant".
#include "rank_fixture.h"

namespace emu::rank {
namespace {

// Each message has been in transit since the start: its path consists of latency only.
class PollingPath : public RankTest {
 protected:
  match::Message* hand_in(Kind kind, std::int64_t arrival, const match::Envelope& envelope) {
    match::Message* const m = wire_.hand_in(kind, arrival, envelope);
    m->path.travel(Interval::picoseconds(arrival), 1);
    m->path.hop = {envelope.source, m->arrival.sequence};
    return m;
  }
  const record::Path& path() const { return rank_->clock().path(); }
  int probe_for(int tag) {
    int looks = 1;
    for (; !rank_->iprobe(world_, any_source, tag); ++looks) {
    }
    return looks;
  }
  void test_for(std::vector<Request*> requests) {
    while (!rank_->test_all(requests)) {
    }
  }
  // The path is that of the message that arrived at `arrival`, plus the time `late` until it was found.
  void expect_found(int source, std::int64_t arrival, std::int64_t late) {
    EXPECT_EQ(path().hop.rank, static_cast<std::uint64_t>(source));
    EXPECT_EQ(path().latency.picoseconds(), arrival);
    EXPECT_EQ(path().latencies, 1);
    EXPECT_EQ(path().poll.picoseconds(), late);
    EXPECT_DOUBLE_EQ(path().polls, static_cast<double>(late) / poll_cost);
    EXPECT_EQ(path().compute, Interval());
    EXPECT_EQ(Instant::start() + path().total(), rank_->now());
  }
  // The path contains only actions of the rank itself.
  void expect_own(std::int64_t computed, double polls) {
    EXPECT_EQ(path().hop, record::Hop());
    EXPECT_EQ(path().compute.picoseconds(), computed);
    EXPECT_EQ(path().polls, polls);
    EXPECT_EQ(Instant::start() + path().total(), rank_->now());
  }
};

TEST_F(PollingPath, OnlyTheLastPollCounts) {
  compute(3);
  hand_in(Kind::eager, 500, from(1, 4, 10));
  EXPECT_EQ(probe_for(4), 72);  // at 3, 10, ..., 500
  expect_found(1, 500, 0);      // also at a tie
  hand_in(Kind::eager, 1001, from(2, 5, 10));
  probe_for(5);  // at 1004
  expect_found(2, 1001, 3);
  EXPECT_EQ(rank_->clock().breakdown().poll.picoseconds(), 1001);
}

TEST_F(PollingPath, NoMatterHowFarAheadTheAnswersAreKnown) {
  wire_.certain_until = Instant::from_picoseconds(1'000'000);
  hand_in(Kind::eager, 900'003, from(1, 4, 10));
  EXPECT_GT(probe_for(4), 100'000);
  expect_found(1, 900'003, now() - 900'003);
  EXPECT_LT(now() - 900'003, poll_cost);
}

TEST_F(PollingPath, OfTestsToo) {
  hand_in(Kind::eager, 100, from(1, 4, 10));
  Request* const request = rank_->ireceive(world_, any_source, 4, buffer(10));
  int index = -1;
  while (!rank_->test_any({&request, 1}, index)) {
  }
  EXPECT_EQ(now(), 105 + o_r(10));
  EXPECT_EQ(path().receive_overhead.picoseconds(), o_r(10));
  EXPECT_EQ(path().latency.picoseconds(), 100);
  EXPECT_EQ(path().poll.picoseconds(), 5);
  rank_->free(request);
}

// Each round of the loop takes two polls.
TEST_F(PollingPath, ALoopThatAsksSeveralQuestions) {
  hand_in(Kind::eager, 101, from(1, 4, 10));
  bool found = false;
  while (!found) {
    found = rank_->iprobe(world_, any_source, 4).has_value();
    if (!found) {
      EXPECT_FALSE(rank_->iprobe(world_, any_source, 5));
    }
  }
  EXPECT_EQ(now(), 112);
  expect_found(1, 101, 11);
}

// Without the last question the message would have been found later or never: the loop did not wait for it.
TEST_F(PollingPath, AMessageThatWasNotAskedForBefore) {
  hand_in(Kind::eager, 101, from(1, 4, 10));
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(rank_->iprobe(world_, any_source, 5));
  EXPECT_TRUE(rank_->iprobe(world_, any_source, 4));
  expect_own(0, 100);
  rank_->receive(world_, 1, 4, buffer(10));
  EXPECT_EQ(path().polls, 100);
}

TEST_F(PollingPath, ARequestThatWasNotAskedForBefore) {
  hand_in(Kind::eager, 101, from(1, 4, 10));
  Request* const here = rank_->ireceive(world_, 1, 4, buffer(10));
  Request* const never = rank_->ireceive(world_, 2, 4, buffer(10));
  int index = -1;
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(rank_->test_any({&never, 1}, index));
  Request* const both[] = {never, here};
  EXPECT_TRUE(rank_->test_any(both, index));
  EXPECT_EQ(path().polls, 100);
  EXPECT_EQ(path().latency, Interval());
  rank_->free(here);
}

TEST_F(PollingPath, WorkOfUpToAPollIsPartOfTheLoop) {
  hand_in(Kind::eager, 101, from(1, 4, 10));
  while (!rank_->iprobe(world_, any_source, 4)) compute(poll_cost);
  EXPECT_EQ(now(), 112);
  expect_found(1, 101, 11);
}

TEST_F(PollingPath, WorkBeyondAPollIsNotWaiting) {
  hand_in(Kind::eager, 101, from(1, 4, 10));
  int works = 0;
  for (; !rank_->iprobe(world_, any_source, 4); ++works) compute(poll_cost + 1);
  expect_own(works * (poll_cost + 1), works);
}

TEST_F(PollingPath, ReadingTheClockIsPartOfTheLoop) {
  hand_in(Kind::eager, 101, from(1, 4, 10));
  while (!rank_->iprobe(world_, any_source, 4)) rank_->read_clock();
  EXPECT_EQ(now(), 112);
  expect_found(1, 101, 11);
}

// The rank polls for 147 ps, and sleeps for 140 of them.
TEST_F(PollingPath, SleepBetweenPollsIsWaiting) {
  hand_in(Kind::eager, 101, from(1, 4, 10));
  while (!rank_->iprobe(world_, any_source, 4)) rank_->sleep(Interval::picoseconds(140));
  EXPECT_EQ(now(), 147);
  EXPECT_EQ(path().latency.picoseconds(), 101);
  EXPECT_EQ(path().asleep.picoseconds(), 46 * 140 / 147);
  EXPECT_EQ(path().poll.picoseconds(), 46 - 46 * 140 / 147);
  EXPECT_EQ(Instant::start() + path().total(), rank_->now());
}

TEST_F(PollingPath, TheLastOfThoseThatATestAsksForTogether) {
  hand_in(Kind::eager, 101, from(1, 4, 10));
  hand_in(Kind::eager, 202, from(2, 4, 10));
  const std::vector<Request*> both = {rank_->ireceive(world_, 1, 4, buffer(10)),
                                      rank_->ireceive(world_, 2, 4, buffer(10))};
  test_for(both);
  EXPECT_EQ(now(), 203 + 2 * o_r(10));
  EXPECT_EQ(path().hop, record::Hop(2, 1));
  EXPECT_EQ(path().latency.picoseconds(), 202);
  EXPECT_EQ(path().poll.picoseconds(), 1);
  EXPECT_EQ(path().receives, 2);
  for (Request* const r : both) rank_->free(r);
}

// The answer leaves at the next look of the rank; its polls before do not count.
TEST_F(PollingPath, AHandshakeIsAnsweredAtTheNextPoll) {
  hand_in(Kind::request, 101, from(1, 4, 500));
  Request* const request = rank_->ireceive(world_, 1, 4, buffer(500));
  int index = -1;
  while (wire_.sent.empty()) EXPECT_FALSE(rank_->test_any({&request, 1}, index));
  const record::Path& answer = sent(0).path;
  EXPECT_EQ(sent_at(0), 105 + c_r + c_s + L);
  EXPECT_EQ(answer.latency.picoseconds(), 101 + L);
  EXPECT_EQ(answer.poll.picoseconds(), 4);
  EXPECT_EQ(answer.handshake.picoseconds(), c_r + c_s);
}

TEST_F(PollingPath, WhatTheNodeIsDownIsNotPolling) {
  Node node;
  node.outages = model::Outages({{Instant::from_picoseconds(104), Instant::from_picoseconds(10'000)}});
  rank_ = std::make_unique<Rank>(0, ranks, *network_, wire_, std::move(node));
  rank_->start();
  hand_in(Kind::eager, 101, from(1, 4, 10));
  probe_for(4);  // at 98, 10'001
  EXPECT_EQ(now(), 10'001);
  EXPECT_EQ(path().latency.picoseconds(), 101);
  EXPECT_EQ(path().down.picoseconds(), 10'000 - 104);
  EXPECT_EQ(path().poll.picoseconds(), 4);
  EXPECT_DOUBLE_EQ(path().polls, 4.0 / poll_cost);
}

}  // namespace
}  // namespace emu::rank
