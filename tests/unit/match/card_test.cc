#include "match/card.h"

#include <gtest/gtest.h>

namespace emu::match {
namespace {

class CardTest : public testing::Test {
 protected:
  Message message(std::int64_t head, int source, std::uint64_t sequence, model::Bytes bytes) {
    Message m;
    m.envelope = {0, source, 0, bytes};
    m.arrival = {Instant::from_picoseconds(head), source, sequence};
    m.card = true;
    m.occupancy = Interval::picoseconds(2 * (bytes - 1));
    m.trailing = bytes - 1;
    return m;
  }

  std::int64_t passes(const Message& expected) {
    EXPECT_EQ(card_.next(), &expected);
    EXPECT_EQ(card_.pass(), &expected);
    return expected.arrival.at.picoseconds();
  }

  Card card_;
};

TEST_F(CardTest, AloneAMessageTakesItsOwnOccupancy) {
  Message m = message(100, 1, 0, 11);
  EXPECT_EQ(card_.next(), nullptr);
  card_.add(&m);
  EXPECT_EQ(passes(m), 100 + 20);
  EXPECT_EQ(card_.next(), nullptr);
}

TEST_F(CardTest, AMessageWaitsForTheOneBefore) {
  Message first = message(100, 1, 0, 11), second = message(105, 0, 0, 6), late = message(500, 0, 1, 6);
  card_.add(&late);
  card_.add(&second);
  card_.add(&first);
  EXPECT_EQ(passes(first), 120);
  EXPECT_EQ(passes(second), 120 + 10);
  EXPECT_EQ(passes(late), 500 + 10);
}

TEST_F(CardTest, TheHeadDecidesNotTheTail) {
  Message large = message(100, 1, 0, 1001), small = message(101, 0, 0, 1);
  card_.add(&small);
  card_.add(&large);
  EXPECT_EQ(passes(large), 2100);
  EXPECT_EQ(passes(small), 2100);
}

TEST_F(CardTest, OnATieTheLowerSourceThenTheEarlierSent) {
  Message a = message(100, 0, 7, 11), b = message(100, 1, 3, 11), c = message(100, 1, 4, 11);
  card_.add(&c);
  card_.add(&b);
  card_.add(&a);
  EXPECT_EQ(passes(a), 120);
  EXPECT_EQ(passes(b), 140);
  EXPECT_EQ(passes(c), 160);
}

// The receiver of such a message reads its arrival: the clock then stops the job (clock/clock.h).
TEST_F(CardTest, NothingWrapsAroundBehindTheLastInstant) {
  Message messages[4];
  for (int i = 0; i < 4; ++i) {
    messages[i] = message(100, 1, static_cast<std::uint64_t>(i), 1);
    messages[i].occupancy = Interval::longest();
    card_.add(&messages[i]);
  }
  for (Message& m : messages) EXPECT_EQ(passes(m), Instant::never().picoseconds());
}

}  // namespace
}  // namespace emu::match
