// The simulator on cases small enough to compute by hand.
#include "reference/program/generate.h"
#include "reference/simulator/simulated.h"

namespace emu::reference {
namespace {

TEST_F(Simulated, EagerMessage) {
  run({{send(1, 11)}, {receive(0)}});
  EXPECT_EQ(clocks(0), Clocks{100});
  EXPECT_EQ(clocks(1), Clocks{100 + 1000 + 10 + 200});
}

TEST_F(Simulated, EmptyMessageIsOneByte) {
  run({{send(1, 0)}, {receive(0)}});
  EXPECT_EQ(clocks(1), Clocks{100 + 1000 + 200});
}

TEST_F(Simulated, LateReceiveCostsItsOverheadOnly) {
  run({{send(1, 11)}, {compute(5000), receive(0)}});
  EXPECT_EQ(clocks(1), (Clocks{5000, 5200}));
}

TEST_F(Simulated, Rendezvous) {
  run({{send(1, 101)}, {receive(0)}});
  // Request at 1100, answered at 1400, answer at 2400, data leave at 2400 + c_r + o_s = 2700.
  EXPECT_EQ(clocks(0), Clocks{2700});
  EXPECT_EQ(clocks(1), Clocks{2700 + 1000 + 100 + 200});
}

TEST_F(Simulated, LimitIsEager) {
  run({{send(1, 64)}, {receive(0)}});
  EXPECT_EQ(clocks(0), Clocks{100});
}

TEST_F(Simulated, GapBetweenSends) {
  parameters_.gap = Interval::picoseconds(500);
  run({{send(1, 1), send(1, 1), compute(1000), send(1, 1)}, {receive(0), receive(0), receive(0)}});
  EXPECT_EQ(clocks(0), (Clocks{100, 600, 1600, 1700}));
}

TEST_F(Simulated, TieOfTwoSourcesGoesToTheLowerRank) {
  run({{receive(any), receive(any)}, {send(0, 1)}, {send(0, 1)}});
  EXPECT_EQ(outcome(0, 0).completions.at(0).source, 1);
  EXPECT_EQ(clocks(0), (Clocks{1300, 1500}));
}

TEST_F(Simulated, EarlierArrivalWins) {
  run({{receive(any), receive(any)}, {compute(1), send(0, 1)}, {send(0, 1)}});
  EXPECT_EQ(outcome(0, 0).completions.at(0).source, 2);
  EXPECT_EQ(clocks(0), (Clocks{1300, 1500}));
}

TEST_F(Simulated, ShortMessageDoesNotOvertake) {
  // From rank 1: 51 bytes that arrive at 1150, then 1 byte that leaves at 200 and arrives at 1200, so they are in
  // order. With free sends the short one arrives at 1000, before the long one at 1050.
  parameters_.send.fixed = {};
  run({{receive(any), receive(any)}, {send(0, 51, 1), send(0, 1, 2)}});
  EXPECT_EQ(outcome(0, 0).completions.at(0).tag, 1);
  EXPECT_EQ(clocks(0), (Clocks{1250, 1450}));
}

TEST_F(Simulated, OtherSourceOvertakesBoth) {
  parameters_.send.fixed = {};
  run({{receive(any), receive(any), receive(any)},
       {send(0, 51, 1), send(0, 1, 2)},
       {compute(20), send(0, 1, 3)}});
  EXPECT_EQ(outcome(0, 0).completions.at(0).tag, 3);
  EXPECT_EQ(outcome(0, 1).completions.at(0).tag, 1);
  EXPECT_EQ(outcome(0, 2).completions.at(0).tag, 2);
}

TEST_F(Simulated, MessageThatStandsBackCountsFromTheChoice) {
  // The first receive may get tag 1, which arrives at 1050, or an earlier message. Only
  // then is it known that tag 2, which arrived at 1000, belongs to the second receive.
  parameters_.send.fixed = {};
  run({{ireceive(any, 0), receive(any), call(Action::wait, {0})}, {send(0, 51, 1), send(0, 1, 2)}});
  EXPECT_EQ(outcome(0, 1).completions.at(0).tag, 2);
  EXPECT_EQ(clocks(0), (Clocks{0, 1250, 1450}));
}

TEST_F(Simulated, MessageThatStoodBackComesWhenItWasReady) {
  // From rank 1: 51 bytes that arrive at 1050, and a request of 1000 that is held until then. From rank 2: a message of
  // 1020. At 5000 the message of 1020 comes first, and the wait for it handles nothing else.
  parameters_.send.fixed = {};
  run({{ireceive(any, 0, 1), ireceive(2, 1), ireceive(any, 2), compute(5000), call(Action::wait, {1}),
        call(Action::wait_all, {0, 2})},
       {send(0, 51, 1), send(0, 101, 2)},
       {compute(20), send(0, 1, 3)}});
  EXPECT_EQ(outcome(0, 4).clock, 5000 + 200);
}

TEST_F(Simulated, SerialCardOfTheReceiver) {
  parameters_.card = model::Card::serial;
  parameters_.always_eager = true;
  // Both heads arrive at 1100; the card takes rank 1's first, up to 1200, then rank 2's, up to 1300.
  run({{receive(2), receive(1)}, {send(0, 101)}, {send(0, 101)}});
  EXPECT_EQ(clocks(0), (Clocks{1500, 1700}));
}

TEST_F(Simulated, SerialCardOfTheSender) {
  parameters_.card = model::Card::serial;
  parameters_.always_eager = true;
  // Leaves at 100, and the card is busy up to 400; the second leaves then, its head is there at 1400.
  run({{send(1, 301), send(2, 1)}, {receive(0)}, {receive(0)}});
  EXPECT_EQ(clocks(0), (Clocks{100, 200}));
  EXPECT_EQ(clocks(1), Clocks{1100 + 300 + 200});
  EXPECT_EQ(clocks(2), Clocks{1400 + 200});
}

TEST_F(Simulated, ALinkThatBecomesFasterLetsNothingOvertakeOnTheWayToACard) {
  link_events_ = {{.at = Interval::picoseconds(150), .until = Interval::picoseconds(5000), .latency = 100}};
  const std::vector<std::vector<Operation>> program = {{send(1, 11, 1), send(1, 11, 2)},
                                                       {receive(0, 2), receive(0, 1)}};
  // The first leaves at 100 and arrives at 1110, the second leaves at 200 and arrives at 310.
  run(program);
  EXPECT_EQ(clocks(1), (Clocks{510, 1310}));
  // Both arrive at the card at 1100, and pass it until 1110 and 1120.
  parameters_.card = model::Card::serial;
  run(program);
  EXPECT_EQ(clocks(1), (Clocks{1320, 1520}));
}

TEST_F(Simulated, PollsUntilTheMessageIsThere) {
  Operation poll{.action = Action::iprobe, .in = {0, match::any_tag}, .until = true, .take = true};
  run({{send(1, 11)}, {poll}});
  // Arrives at 1110: false at 0, 50, ... 1100, true at 1150.
  EXPECT_EQ(outcome(1, 0).polls, 23);
  EXPECT_EQ(clocks(1), Clocks{1350});
}

TEST_F(Simulated, HandshakeGoesOnInsideAnotherCall) {
  run({{isend(1, 101, 0), receive(2), call(Action::wait, {0})}, {receive(0)}, {compute(5000), send(0, 1)}});
  // The answer comes at 2400 and is handled while rank 0 waits for rank 2's message of 6100.
  EXPECT_EQ(clocks(0), (Clocks{100, 6300, 6300}));
  EXPECT_EQ(clocks(1), Clocks{4000});
}

TEST_F(Simulated, ReceivesAreChargedOnlyWhereTheyAreAskedFor) {
  run({{ireceive(1, 0), receive(2), call(Action::wait, {0})}, {send(0, 1)}, {compute(1000), send(0, 1)}});
  EXPECT_EQ(clocks(0), (Clocks{0, 2300, 2500}));
}

TEST_F(Simulated, TestallCompletesAllOrNothing) {
  run({{ireceive(1, 0), ireceive(2, 1), compute(1500), call(Action::test_all, {0, 1}), compute(1000),
        call(Action::test_all, {0, 1})},
       {send(0, 1)},
       {compute(1000), send(0, 1)}});
  EXPECT_FALSE(outcome(0, 3).answer);
  EXPECT_EQ(clocks(0), (Clocks{0, 0, 1500, 1550, 2550, 2950}));
}

TEST_F(Simulated, WaitsomeSweepsWhatIsThere) {
  // Both arrive at 1100, so both are there when the first is handled, although the clock then advances by o_r. The
  // third arrives at 1200, after that.
  run({{ireceive(1, 0), ireceive(2, 1), ireceive(3, 2), call(Action::wait_some, {0, 1, 2}),
        call(Action::wait, {2})},
       {send(0, 1)},
       {send(0, 1)},
       {compute(100), send(0, 1)}});
  EXPECT_EQ(outcome(0, 3).completions.size(), 2u);
  EXPECT_EQ(clocks(0), (Clocks{0, 0, 0, 1500, 1700}));
}

// An allreduce: two exchanges of 132 and 128 bytes, each of which takes 100 + 1000
// + 131 + 200, or 127 for 131. Rank 1 does not wait for rank 0's last receive.
TEST_F(Simulated, ACommunicatorIsMadeOnARankWhenItsPartIsOver) {
  parameters_.always_eager = true;
  EXPECT_EQ(run({{{.action = Action::duplicate}}, {{.action = Action::duplicate}}}),
            Simulator::End::finished);
  EXPECT_EQ(clocks(0), (Clocks{2854}));
  EXPECT_EQ(clocks(1), (Clocks{2862}));
  EXPECT_EQ(run({{compute(700), {.action = Action::duplicate}}, {{.action = Action::duplicate}}}),
            Simulator::End::finished);
  EXPECT_EQ(clocks(0), (Clocks{700, 3554}));
  EXPECT_EQ(clocks(1), (Clocks{2862}));
}

// The node of rank 1 is down when the second and last message of the creation arrives from rank 0, at about 2660. No
// message on the new communicator replaces it.
TEST_F(Simulated, MessagesOfANewCommunicatorMatchNoReceivesOfItsParent) {
  parameters_.eager_limit = 1000;
  const Operation shortcuts{.action = Action::shortcuts, .bytes = 8};
  down(1, 2500, 2800);
  EXPECT_EQ(run({{shortcuts}, {shortcuts}}), Simulator::End::deadlock);
  EXPECT_TRUE(outcomes_[0].empty());
  EXPECT_TRUE(outcomes_[1].empty());
}

// The send is one of a request with two parts.
TEST_F(Simulated, ASendToItselfThatIsReadEndsWithItsReceive) {
  parameters_.rendezvous = model::Rendezvous::get;
  const Operation exchange{
      .action = Action::isend_receive, .out = {.to = 0, .bytes = 101}, .in = {.from = nobody}, .slot = 1};
  EXPECT_EQ(run({{ireceive(0, 0), exchange, call(Action::wait_all, {0, 1})}}), Simulator::End::finished);
  EXPECT_EQ(outcome(0, 2).completions.size(), 2u);
}

// The first byte of both messages is there at 1100; the second one passes the card from 1160 to 1220.
TEST_F(Simulated, MessageIsLostThatTheCardKeepsUntilTheNodeIsDown) {
  parameters_.card = model::Card::serial;
  const std::vector<std::vector<Operation>> program{
      {send(2, 61)}, {send(2, 61), compute(500), send(2, 61)}, {receive(0), receive(1)}};
  EXPECT_EQ(run(program), Simulator::End::leftover);
  EXPECT_EQ(clocks(2), (Clocks{1360, 1560}));
  down(2, 1200, 1300);
  EXPECT_EQ(run(program), Simulator::End::finished);
  EXPECT_EQ(clocks(2), (Clocks{1460, 1960}));
}

// Overheads end at 90 and 180; the card sends the first message from 90 to 190.
TEST_F(Simulated, MessageIsLostThatWaitsForTheCardOfANodeThatIsDown) {
  parameters_.card = model::Card::serial;
  parameters_.always_eager = true;
  parameters_.send.fixed = Interval::picoseconds(90);
  const std::vector<std::vector<Operation>> program{{send(1, 101), send(1, 1)}, {receive(0), receive(0)}};
  EXPECT_EQ(run(program), Simulator::End::finished);
  EXPECT_EQ(clocks(1), (Clocks{1390, 1590}));
  down(0, 185, 190);
  EXPECT_EQ(run(program), Simulator::End::finished);
  outages_[0].until = Interval::picoseconds(191);
  EXPECT_EQ(run(program), Simulator::End::deadlock);
  EXPECT_EQ(clocks(1), (Clocks{1390}));
}

TEST_F(Simulated, Deadlock) {
  EXPECT_EQ(run({{receive(1), send(1, 1)}, {receive(0), send(0, 1)}}), Simulator::End::deadlock);
  EXPECT_EQ(run({{send(1, 101), receive(1)}, {send(0, 101), receive(0)}}), Simulator::End::deadlock);
  EXPECT_EQ(run({{send(1, 1), receive(1)}, {send(0, 1), receive(0)}}), Simulator::End::finished);
}

TEST_F(Simulated, EndlessPolling) {
  Operation poll{.action = Action::iprobe, .in = {0, match::any_tag}, .until = true};
  EXPECT_EQ(run({{compute(1)}, {poll}}), Simulator::End::endless);
}

TEST_F(Simulated, MessageNobodyReceives) {
  EXPECT_EQ(run({{send(1, 1)}, {compute(1)}}), Simulator::End::leftover);
}

// At equal instants the order of the ranks' actions must not matter.
TEST(RandomPrograms, DoNotDependOnTheOrderOfTies) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Batch batch = make_batch(seed);
    for (std::uint64_t number = 1; number <= 20; ++number) {
      const Program program = generate(number, batch);
      Simulator one(batch.cluster, batch.ranks), other(batch.cluster, batch.ranks);
      other.reverse_ties();
      ASSERT_EQ(one.run(program), other.run(program));
      ASSERT_EQ(one.outcomes(), other.outcomes()) << "batch " << seed << ", program " << number;
    }
  }
}

TEST(Outcomes, SurviveBeingWritten) {
  const Outcome o{.clock = 12, .polls = 3, .answer = false, .completions = {{1, 2, 3, 4, 5}, {}}};
  EXPECT_EQ(from_line(to_line(o)), o);
  EXPECT_NE(from_line("12 3"), o);
}

}  // namespace
}  // namespace emu::reference
