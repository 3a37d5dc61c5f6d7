// Breaks each promise once, which must be detected; similar actions that break none must not be reported.
#include "match/checked_wire.h"
#include "match/invariants.h"
#include "rank_fixture.h"

namespace emu::rank {
namespace {

using match::Arrival;
using match::Invariants;
using match::Message;
using match::Sources;
using match::Violation;

constexpr Instant at(std::int64_t ps) { return Instant::from_picoseconds(ps); }
constexpr Interval la = Interval::picoseconds(100);
constexpr Interval none;

Message message(int source, std::int64_t arrives, std::uint64_t sequence = 0, Kind kind = Kind::eager) {
  Message m;
  m.kind = kind;
  m.arrival = {at(arrives), source, sequence};
  return m;
}
bool late(Invariants& promises, const Message& m) {
  const auto broken = promises.came(m);
  if (broken) {
    EXPECT_EQ(broken->kind, Violation::Kind::late);
    EXPECT_EQ(broken->other, m.arrival.source);
  }
  return broken.has_value();
}

TEST(Invariants, NothingComesBeforeAKeyOfWhichNobodyStandsInTheWay) {
  Invariants promises(0, 4, la);
  EXPECT_FALSE(late(promises, message(1, 0)));
  promises.clear({at(500), 2, 7}, Sources{.everyone = true});
  EXPECT_TRUE(late(promises, message(1, 499)));
  EXPECT_TRUE(late(promises, message(1, 500)));      // precedes a message of rank 2 at that instant
  EXPECT_TRUE(late(promises, message(2, 500, 6)));   // sent before that message
  EXPECT_FALSE(late(promises, message(2, 500, 8)));  // sent after it
  EXPECT_FALSE(late(promises, message(3, 500)));
  EXPECT_FALSE(late(promises, message(0, 499)));               // its own message: no promise covers it
  promises.clear({at(400), 2, 0}, Sources{.everyone = true});  // weaker than a known promise
  EXPECT_TRUE(late(promises, message(3, 450)));
}

TEST(Invariants, WhoIsExceptedHasNotPromised) {
  Invariants promises(0, 4, la);
  promises.clear({at(300), 0, 0}, Sources{.everyone = true});
  promises.clear({at(500), 1, 0}, Sources{.everyone = true, .except = 1});
  EXPECT_TRUE(late(promises, message(2, 499)));
  EXPECT_FALSE(late(promises, message(1, 499)));
  EXPECT_TRUE(late(promises, message(1, 299)));
  promises.clear({at(400), 2, 0}, Sources{.everyone = true, .except = 2});  // rank 1 promises this too
  EXPECT_TRUE(late(promises, message(1, 399)));
  EXPECT_FALSE(late(promises, message(1, 401)));
  promises.clear({at(900), 2, 0}, Sources{.everyone = true, .except = 2});
  EXPECT_TRUE(late(promises, message(1, 899)));
  EXPECT_FALSE(late(promises, message(2, 501)));
  EXPECT_TRUE(late(promises, message(2, 499)));
}

TEST(Invariants, WhoIsNotConcernedHasNotPromised) {
  Invariants promises(0, 4, la);
  const int sources[] = {1, 3};
  promises.clear({at(500), 1, 0}, Sources{.named = sources});
  EXPECT_TRUE(late(promises, message(1, 499)));
  EXPECT_TRUE(late(promises, message(3, 1)));
  EXPECT_FALSE(late(promises, message(2, 1)));
}

TEST(Invariants, WhatIsKnownAheadHoldsUntilOthersCanAnswer) {
  Invariants promises(0, 4, la);
  promises.clear_ahead(at(500), Sources{.everyone = true, .except = 3});
  EXPECT_TRUE(late(promises, message(1, 500)));
  EXPECT_FALSE(late(promises, message(1, 501)));
  EXPECT_FALSE(late(promises, message(3, 400)));
  EXPECT_FALSE(promises.sends(2, message(0, 200)));
  EXPECT_TRUE(late(promises, message(1, 200)));
  EXPECT_FALSE(late(promises, message(1, 201)));
  const int sources[] = {2};
  promises.clear_ahead(at(600), Sources{.named = sources});
  EXPECT_TRUE(late(promises, message(2, 600)));
  EXPECT_FALSE(late(promises, message(1, 600)));
}

TEST(Invariants, AClockDoesNotGoBack) {
  Invariants promises(0, 2, la);
  EXPECT_FALSE(promises.publishes(at(50), at(80), none));
  EXPECT_FALSE(promises.publishes(at(80), at(80), none));
  const auto broken = promises.publishes(at(79), at(90), none);
  ASSERT_TRUE(broken);
  EXPECT_EQ(broken->kind, Violation::Kind::backward);
  EXPECT_EQ(broken->at, at(79));
  EXPECT_EQ(broken->promised, at(80));
}

TEST(Invariants, WhatWasPromisedFallsOnlyForWhatArrives) {
  Invariants promises(0, 2, la);
  EXPECT_FALSE(promises.publishes(at(50), at(900), Interval::picoseconds(20)));
  EXPECT_FALSE(late(promises, message(1, 300)));
  const auto fell = promises.publishes(at(50), at(319), none);
  ASSERT_TRUE(fell);
  EXPECT_EQ(fell->kind, Violation::Kind::fell);
  EXPECT_EQ(fell->at, at(319));
  EXPECT_EQ(fell->promised, at(320));
  EXPECT_FALSE(promises.publishes(at(50), at(320), none));
  const auto broken = promises.sends(1, message(0, 419));
  ASSERT_TRUE(broken);
  EXPECT_EQ(broken->kind, Violation::Kind::sent);
  EXPECT_EQ(broken->promised, at(420));
  EXPECT_FALSE(promises.sends(1, message(0, 420)));
  // An arrival before the clock makes the rank act at its clock, not earlier.
  EXPECT_FALSE(promises.publishes(at(400), at(900), Interval::picoseconds(20)));
  EXPECT_FALSE(late(promises, message(1, 300)));
  EXPECT_TRUE(promises.sends(1, message(0, 519)));
  EXPECT_FALSE(promises.sends(1, message(0, 520)));
}

TEST(Invariants, WhatIsSentTakesTheLeastTimeFromTheBoundOn) {
  Invariants promises(0, 2, la);
  EXPECT_FALSE(promises.publishes(at(50), at(50), none));
  EXPECT_FALSE(promises.sends(1, message(0, 150)));
  const auto broken = promises.sends(1, message(0, 149));
  ASSERT_TRUE(broken);
  EXPECT_EQ(broken->kind, Violation::Kind::sent);
  EXPECT_EQ(broken->other, 1);
}

TEST(Invariants, AReportNamesRanksInstantsAndCalls) {
  const std::string text =
      match::describe({Violation::Kind::late, 3, at(1'000'001), at(2'000'000)}, 5, "MPI_Recv", "MPI_Wait");
  EXPECT_EQ(
      text,
      "an error of libemu's own: rank 5, in MPI_Recv, was certain that nothing of rank 3, which last "
      "waited in MPI_Wait, would arrive before 2 us, and now something does at 1.000001 us. The "
      "prediction would be wrong. Please report this, with the target file and, if you can, the program");
}

// A rank with a wire that breaks its promises.
class CheckedRank : public RankTest {
 protected:
  struct Noticed {
    Violation broken;
  };
  CheckedRank() {
    rank_.reset();
    rank_ = std::make_unique<Rank>(0, ranks, *network_, checked_);
  }
  Violation noticed(const std::function<void()>& call) {
    try {
      call();
    } catch (const Noticed& n) {
      return n.broken;
    }
    ADD_FAILURE() << "nothing was noticed";
    return {};
  }
  match::CheckedWire<ScriptedWire> checked_{wire_, Invariants(0, ranks, network_->lookahead()),
                                            [](const Violation& broken) { throw Noticed{broken}; }};
};

TEST_F(CheckedRank, NoticesAMessageBehindAChoice) {
  wire_.hand_in(Kind::eager, 5000, from(1, 7, 4));
  rank_->receive(world_, any_source, any_tag, buffer(4));
  wire_.hand_in(Kind::eager, 4999, from(2, 7, 4));
  const Violation broken = noticed([&] { rank_->receive(world_, any_source, any_tag, buffer(4)); });
  EXPECT_EQ(broken.kind, Violation::Kind::late);
  EXPECT_EQ(broken.other, 2);
  EXPECT_EQ(broken.at, at(4999));
  EXPECT_EQ(broken.promised, at(5000));
}

TEST_F(CheckedRank, NoticesAMessageBehindAFalseAnswer) {
  compute(6000);
  EXPECT_FALSE(rank_->iprobe(world_, any_source, any_tag));
  wire_.hand_in(Kind::eager, 6000, from(2, 7, 4));
  EXPECT_EQ(noticed([&] { (void)rank_->iprobe(world_, any_source, any_tag); }).kind, Violation::Kind::late);
}

TEST_F(CheckedRank, WhatComesInOrderIsNothingToNotice) {
  wire_.hand_in(Kind::eager, 5000, from(1, 7, 4));
  rank_->receive(world_, any_source, any_tag, buffer(4));
  rank_->leave();
  wire_.hand_in(Kind::eager, 5000, from(2, 7, 4));
  rank_->send(world_, 1, 3, buffer(4));
  rank_->receive(world_, any_source, any_tag, buffer(4));
  rank_->leave();
}

}  // namespace
}  // namespace emu::rank
