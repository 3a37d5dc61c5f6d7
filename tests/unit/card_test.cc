#include "match/card.h"

#include <gtest/gtest.h>

namespace emu::match {
namespace {

class CardTest : public testing::Test {
 protected:
  static model::Network network() {
    model::Parameters p;
    p.gap_per_byte = Rate::femtoseconds_per_byte(2000);
    p.card = model::Card::serial;
    return model::Network(p, 2);
  }

  Message message(std::int64_t head, int source, std::uint64_t sequence, model::Bytes bytes,
                  Message::Kind kind = Message::Kind::eager) {
    Message m;
    m.kind = kind;
    m.envelope = {0, source, 0, bytes};
    m.arrival = {Instant::from_picoseconds(head), source, sequence};
    return m;
  }

  std::int64_t passes(const Message& expected) {
    EXPECT_EQ(card_.next(), &expected);
    EXPECT_EQ(card_.pass(), &expected);
    return expected.arrival.at.picoseconds();
  }

  model::Network network_ = network();
  Card card_{network_};
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

TEST_F(CardTest, ControlMessagesAreOneByteWhateverTheyAnnounce) {
  Message data = message(100, 1, 0, 11, Message::Kind::data),
          request = message(110, 1, 1, 1000, Message::Kind::request),
          answer = message(111, 0, 0, 0, Message::Kind::answer), eager = message(112, 0, 1, 0);
  for (Message* m : {&data, &request, &answer, &eager}) card_.add(m);
  EXPECT_EQ(passes(data), 120);
  EXPECT_EQ(passes(request), 120);
  EXPECT_EQ(passes(answer), 120);
  EXPECT_EQ(passes(eager), 120);
}

}  // namespace
}  // namespace emu::match
