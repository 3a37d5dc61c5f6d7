// A node's conclusions about other nodes from their latest reports, by hand.
#include "wire/agent/cut.h"

#include <gtest/gtest.h>

namespace emu::wire {
namespace {

constexpr std::int64_t never = INT64_MAX / 2;

TEST(FlowTest, WhatTheReceiverHasNotTakenInIsInTransit) {
  Flow flow;
  EXPECT_EQ(flow.in_transit(0), never);
  for (const std::int64_t arrival : {70, 30, 50}) flow.send(arrival);
  EXPECT_EQ(flow.sent(), 3u);
  EXPECT_EQ(flow.in_transit(0), 30);
  EXPECT_EQ(flow.in_transit(1), 30);
  EXPECT_EQ(flow.in_transit(2), 50);
  EXPECT_EQ(flow.in_transit(3), never);
  EXPECT_EQ(flow.in_transit(4), never) << "the receiver may know of more than a third node";
}

// The message was taken in, but the receiver's latest bound may be older.
TEST(FlowTest, TakenInHoldsUntilItIsSettled) {
  Flow flow;
  for (const std::int64_t arrival : {70, 30, 50}) flow.send(arrival);
  flow.taken_in(2);
  EXPECT_EQ(flow.first(), 2u);
  EXPECT_EQ(flow.sent(), 3u);
  EXPECT_EQ(flow.in_transit(0), 30);
  EXPECT_EQ(flow.in_transit(1), 30) << "of those no longer known one by one, all that may be";
  EXPECT_EQ(flow.in_transit(2), 50);
  flow.settled(1);  // fewer than were taken in: no proof for the second
  EXPECT_EQ(flow.in_transit(0), 30);
  flow.settled(2);
  EXPECT_EQ(flow.in_transit(0), 50);
  flow.taken_in(3);
  flow.settled(3);
  EXPECT_EQ(flow.in_transit(3), never);
  flow.taken_in(1);  // an old report
  EXPECT_EQ(flow.first(), 3u);
  EXPECT_EQ(flow.sent(), 3u);
}

TEST(FlowTest, NoMoreIsTakenInThanWasSent) {
  Flow flow;
  flow.send(10);
  flow.taken_in(5);
  EXPECT_EQ(flow.first(), 1u);
  flow.send(20);
  EXPECT_EQ(flow.sent(), 2u);
  EXPECT_EQ(flow.in_transit(1), 20);
}

TEST(FlowTest, OfWhatCameBeforeAReportNothingIsKnown) {
  Flow flow;
  flow.learn(2, {80, 60});
  EXPECT_EQ(flow.sent(), 4u);
  EXPECT_EQ(flow.in_transit(1), 0) << "the receiver said that before it took the second in";
  EXPECT_EQ(flow.in_transit(2), 60);
  EXPECT_EQ(flow.in_transit(4), never);
  flow.learn(4, {});
  EXPECT_EQ(flow.in_transit(3), 0);
  EXPECT_EQ(flow.in_transit(4), never);
}

TEST(CutTest, NobodyIsFurtherThanItSaid) {
  Cut cut(3, 0);
  EXPECT_EQ(cut.bound(1), 0);
  cut.bound(1, 100);
  EXPECT_EQ(cut.bound(1), 100);
  EXPECT_EQ(cut.bound(2), 0);
  cut.bound(2, never);
  EXPECT_EQ(cut.bound(2), never);
}

TEST(CutTest, AMessageOfOurOwnHoldsItsReceiver) {
  Cut cut(2, 0);
  cut.bound(1, never);
  cut.own(1).send(50);
  EXPECT_EQ(cut.bound(1), 50);
  cut.own(1).taken_in(1);  // reported in the head of a frame, which does not contain its bound
  EXPECT_EQ(cut.bound(1), 50);
  cut.bound(1, 90);
  cut.received(1, 0, 1);
  EXPECT_EQ(cut.bound(1), 90);
  cut.own(1).send(120);
  EXPECT_EQ(cut.bound(1), 90);
  cut.own(1).send(20);
  EXPECT_EQ(cut.bound(1), 20);
}

TEST(CutTest, AMessageBetweenOthersHoldsItsReceiverWhoeverSpeaksFirst) {
  Cut sender_first(3, 0), receiver_first(3, 0);
  // Node 1 has sent a message to node 2, which arrives at 40. Node 1 continues at 200.
  const auto sender = [](Cut& cut) {
    cut.bound(1, 200);
    cut.sent(1, 2).learn(0, {40});
  };
  const auto before = [](Cut& cut) { cut.bound(2, never); };
  sender(sender_first);
  before(sender_first);
  before(receiver_first);
  EXPECT_EQ(receiver_first.bound(2), never) << "so far nobody said otherwise, and node 1 is at 0";
  EXPECT_EQ(receiver_first.bound(1), 0);
  sender(receiver_first);
  for (Cut* cut : {&sender_first, &receiver_first}) {
    EXPECT_EQ(cut->bound(1), 200);
    EXPECT_EQ(cut->bound(2), 40);
    cut->bound(2, 300);
    EXPECT_EQ(cut->bound(2), 40) << "it has not said that it took it in";
    cut->received(2, 1, 1);
    EXPECT_EQ(cut->bound(2), 300);
    cut->received(2, 0, 0);
    EXPECT_EQ(cut->bound(2), 300) << "counts are by sender";
  }
}

TEST(CutTest, TheReceiverMayKnowOfMoreThanTheSenderHasSaid) {
  Cut cut(3, 0);
  cut.bound(2, 70);
  cut.received(2, 1, 3);
  EXPECT_EQ(cut.bound(2), 70);
  cut.bound(1, 10);
  cut.sent(1, 2).learn(1, {5});  // as before
  EXPECT_EQ(cut.bound(2), 70);
  cut.sent(1, 2).learn(1, {5, 6});
  EXPECT_EQ(cut.bound(2), 70);
  cut.sent(1, 2).learn(1, {5, 6, 7});
  EXPECT_EQ(cut.bound(2), 7);
  cut.sent(1, 2).learn(3, {8});
  EXPECT_EQ(cut.bound(2), 8);
}

}  // namespace
}  // namespace emu::wire
