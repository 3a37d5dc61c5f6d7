// Messages in transit: their landings become known while the rank decides.
#include "rank_fixture.h"

namespace emu::rank {
namespace {

// Other processes work out landings at any time, also between two looks of one decision.
TEST_F(RankTest, AChoiceDoesNotTakeAMessageWhoseLandingMovesWhileItIsMade) {
  match::Message* const late = wire_.hand_in(Kind::eager, 5000, from(1, 4, 10));
  late->in_transit = true;
  late->head = Instant::from_picoseconds(4000);
  wire_.hand_in(Kind::eager, 6000, from(2, 4, 20));
  int looks = 0;
  wire_.landing_answer = [&looks](const match::Message&) {
    ++looks;
    const bool moved = looks > 2;  // the first decision has been prepared
    return match::Landing{Instant::from_picoseconds(moved ? 9000 : 5000), looks > 3};
  };
  EXPECT_EQ(rank_->receive(world_, any_source, any_tag, buffer(20)).source, 2);
  EXPECT_EQ(now(), 6000 + o_r(20));
  EXPECT_EQ(rank_->receive(world_, any_source, any_tag, buffer(20)).source, 1);
  EXPECT_EQ(now(), 9000 + o_r(10));
}

// It is certain once no other source can send one whose head comes before; and it matches when it has landed.
TEST_F(RankTest, AMessageOnTheBusArrivesWithThePathOfItsLanding) {
  match::Message* const m = wire_.hand_in(Kind::eager, 4000, from(1, 4, 10));
  m->in_transit = m->card = true;
  m->head = m->arrival.at;
  record::Path path;
  path.travel(Interval::picoseconds(4000), 1);
  path.occupy(Interval::picoseconds(5000), 70);
  int looks = 0;
  wire_.landing_answer = [&](const match::Message&) {
    const bool passed = !wire_.questions.empty();
    ++looks;
    return match::Landing{Instant::from_picoseconds(passed ? 9000 : 4100), passed, 0, 0, 0, &path};
  };
  EXPECT_EQ(rank_->receive(world_, 1, any_tag, buffer(20)).source, 1);
  EXPECT_EQ(now(), 9000 + o_r(10));
  EXPECT_EQ(rank_->clock().path().gap_bytes, 70);
  ASSERT_FALSE(wire_.questions.empty());
  EXPECT_EQ(wire_.questions.front().key.at.picoseconds(), 4000);
  EXPECT_TRUE(wire_.questions.front().everyone);
  EXPECT_EQ(wire_.questions.front().except, 1);
  EXPECT_GT(looks, 1);
}

}  // namespace
}  // namespace emu::rank
