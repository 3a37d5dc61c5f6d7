// Receives that the program cancels.
#include <array>

#include "queue_fixture.h"

namespace emu::match {
namespace {

TEST_F(QueueTest, WhatACancelledReceiveWasMatchedWithIsForTheNext) {
  Posted *first = receive(1, 5), *second = receive(1, 5);
  queue_.post(first);
  queue_.post(second);
  Message *a = message(1, 5, 100), *b = message(1, 5, 200);
  queue_.add(a);
  queue_.add(b);
  ASSERT_EQ(second->matched, b);
  std::vector<Message*> again;
  queue_.cancel(first, std::array<Posted*, 1>{second},
                [&](Queue::Pair pair) { again.push_back(pair.message); });
  EXPECT_EQ(first->matched, nullptr);
  EXPECT_EQ(second->matched, a);
  EXPECT_EQ(again, std::vector{a});
  Posted* third = receive(1, 5);
  EXPECT_EQ(queue_.post(third).message, b);
  EXPECT_EQ(queue_.posted_receives(), 0);
}

TEST_F(QueueTest, OthersKeepWhatTheCancelledReceiveWouldNotHaveKeptFromThem) {
  Posted *first = receive(1, 5), *other = receive(1, 6), *any = receive(1, any_tag);
  for (Posted* r : {first, other, any}) queue_.post(r);
  Message *a = message(1, 5, 300), *b = message(1, 6, 200), *c = message(1, 7, 100);
  for (Message* m : {a, b, c}) queue_.add(m);
  ASSERT_EQ(any->matched, c);
  queue_.cancel(first, std::array<Posted*, 2>{other, any}, [](Queue::Pair) {});
  EXPECT_EQ(other->matched, b);
  EXPECT_EQ(any->matched, a);
  EXPECT_EQ(queue_.probe({0, 1, 7}), c);
}

// The message returns to its place in send order, between messages that no receive has matched.
TEST_F(QueueTest, AMessageGoesBackToItsPlace) {
  Posted* r = receive(1, 5);
  queue_.post(r);
  Message *before = message(1, 9, 10), *met = message(1, 5, 20), *behind = message(1, 9, 5);
  for (Message* m : {before, met, behind}) queue_.add(m);
  queue_.cancel(r, {}, [](Queue::Pair) { FAIL(); });
  EXPECT_EQ(queue_.post(receive(1, 9)).message, before);
  EXPECT_EQ(queue_.post(receive(1, any_tag)).message, met);
  EXPECT_EQ(queue_.post(receive(1, any_tag)).message, behind);
}

TEST_F(QueueTest, ACancelledWildcardLetsThoseBehindItMatch) {
  Posted *any = receive(any_source, 5), *named = receive(1, 5);
  queue_.post(any);
  queue_.post(named);
  Message* m = message(1, 5, 100);
  EXPECT_FALSE(queue_.add(m));
  queue_.cancel(any, {}, [](Queue::Pair) {});
  EXPECT_EQ(named->matched, m);
  EXPECT_FALSE(queue_.least_wildcard_pair());
}

// A receive posted before the cancelled one gets its place before later ones.
TEST_F(QueueTest, ReceivesGoBackInTheOrderInWhichTheyWerePosted) {
  Posted *first = receive(1, 5), *second = receive(1, any_tag), *waits = receive(1, any_tag);
  for (Posted* r : {first, second, waits}) queue_.post(r);
  Message *a = message(1, 5, 100), *b = message(1, 6, 200);
  queue_.add(a);
  queue_.add(b);
  ASSERT_EQ(second->matched, b);
  queue_.cancel(first, std::array<Posted*, 1>{second}, [](Queue::Pair) {});
  EXPECT_EQ(second->matched, a);
  EXPECT_EQ(waits->matched, b);
}

}  // namespace
}  // namespace emu::match
