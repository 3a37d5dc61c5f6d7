// The simulator's results for noticed failures, computed by hand from libemu/rank/semantics.md. Costs are those of
// simulated.h. Rank 2 of three fails at F = 5000, so the others know of it from N = F + L = 6000 on. Unless stated
// otherwise, it computes until then.
#include "reference/simulator/simulated.h"

namespace emu::reference {
namespace {

using Operations = std::vector<Operation>;

Operation of(Action action, int communicator = 0) { return {.action = action, .communicator = communicator}; }
Operation agree(int flag) { return {.action = Action::agree, .flag = flag}; }
Operation probe(int from) { return {.action = Action::probe, .in = {from, match::any_tag}}; }
Operation buffered(int to, Bytes bytes) {
  return {.action = Action::send, .out = {.to = to, .bytes = bytes, .mode = Mode::buffered}};
}

class Noticed : public Simulated {
 protected:
  Noticed() {
    notices_ = true;
    down(2, 5000);
  }
  Error error(int rank, int operation) const { return outcome(rank, operation).error; }
  // For the request that the operation returned at that place.
  Error error(int rank, int operation, std::size_t request) const {
    return outcome(rank, operation).completions.at(request).error;
  }
  const Operations works_{compute(1'000'000)};
};

// --- E4

TEST_F(Noticed, AReceiveFailsWhenItIsKnown) {
  run({{receive(2), compute(100), receive(2)}, {}, works_});
  EXPECT_EQ(clocks(0), (Clocks{6000, 6100, 6100}));
  EXPECT_EQ(error(0, 0), Error::failed);
  EXPECT_EQ(error(0, 2), Error::failed);
  EXPECT_TRUE(outcome(0, 0).completions.empty());
}

// The message leaves at 4999 and arrives at 4999 + 1000 + 10. A picosecond later its overhead would come to F.
TEST_F(Noticed, WhatLeftBeforeTheFailureIsReceivedAfterItIsKnown) {
  run({{receive(2), receive(2)}, {}, {compute(4899), send(0, 11), compute(1'000'000)}});
  EXPECT_EQ(clocks(0), (Clocks{6209, 6209}));
  EXPECT_EQ(error(0, 0), Error::none);
  EXPECT_EQ(error(0, 1), Error::failed);
  run({{receive(2)}, {}, {compute(4900), send(0, 11)}});
  EXPECT_EQ(clocks(0), Clocks{6000});
  EXPECT_EQ(error(0, 0), Error::failed);
}

// Rank 1's message leaves at 5000 and arrives at 6000, before the failure at that instant. At 6001 it comes after it.
TEST_F(Noticed, AFailureComesAfterEverythingElseOfItsInstant) {
  const Operations waits = {ireceive(2, 0), ireceive(1, 1), call(Action::wait_any, {0, 1})};
  run({waits, {compute(4900), send(0, 1)}, works_});
  EXPECT_EQ(outcome(0, 2).clock, 6000 + 200);
  EXPECT_EQ(outcome(0, 2).completions.at(0).slot, 1);
  run({waits, {compute(4901), send(0, 1)}, works_});
  EXPECT_EQ(outcome(0, 2).clock, 6000);
  EXPECT_EQ(outcome(0, 2).completions.at(0).slot, 0);
  EXPECT_EQ(error(0, 2, 0), Error::failed);
}

// 101 bytes: the request leaves at 100, and is never answered.
TEST_F(Noticed, ASendByHandshakeFails) {
  run({{}, {send(2, 101)}, works_});
  EXPECT_EQ(clocks(1), Clocks{6000});
  EXPECT_EQ(error(1, 0), Error::failed);
}

// Rank 2 has the request of 1100 at 4699, and answers it at 4699 + 300 = 4999. The answer arrives at 5999,
// c_r and o_s take 300, and rank 1 sees only the result of the send. From 4700 on the answer would reach F.
TEST_F(Noticed, ASendThatWasAnsweredIsComplete) {
  const auto answering_at = [](std::int64_t instant) {
    return Operations{ireceive(1, 0), compute(instant), call(Action::wait, {0})};
  };
  run({{}, {send(2, 101), send(2, 101)}, answering_at(4699)});
  EXPECT_EQ(clocks(1), (Clocks{6299, 6299}));
  EXPECT_EQ(error(1, 0), Error::none);
  EXPECT_EQ(error(1, 1), Error::failed);
  run({{}, {send(2, 101)}, answering_at(4700)});
  EXPECT_EQ(clocks(1), Clocks{6000});
  EXPECT_EQ(error(1, 0), Error::failed);
}

// A send that begins at 5999 costs o_s. A later one costs nothing, and the next to a live rank keeps g = 700 from 5999.
TEST_F(Noticed, ASendInVainCostsNothing) {
  parameters_.gap = Interval::picoseconds(700);
  run({{compute(5999), send(2, 1), send(2, 1), send(2, 101), send(1, 1)}, {receive(0)}, works_});
  EXPECT_EQ(clocks(0), (Clocks{5999, 6099, 6099, 6099, 6699 + 100}));
  EXPECT_EQ(error(0, 1), Error::none);
  EXPECT_EQ(error(0, 2), Error::failed);
  EXPECT_EQ(error(0, 3), Error::failed);
  EXPECT_EQ(error(0, 4), Error::none);
}

TEST_F(Noticed, AProbeOfOneThatFailed) {
  Operation polls{.action = Action::iprobe, .in = {2, match::any_tag}, .until = true};
  run({{probe(2), probe(2)}, {polls}, works_});
  EXPECT_EQ(clocks(0), (Clocks{6000, 6000}));
  EXPECT_EQ(error(0, 0), Error::failed);
  EXPECT_EQ(clocks(1), Clocks{6000});  // false at 0, 50, ... 5950
  EXPECT_EQ(outcome(1, 0).polls, 120);
  EXPECT_EQ(error(1, 0), Error::failed);
}

// The message arrives at 6009, and is found then, though the failure is known before.
TEST_F(Noticed, AProbeFindsWhatIsUnderWay) {
  run({{probe(2), receive(2), probe(2)}, {}, {compute(4899), send(0, 11), compute(1'000'000)}});
  EXPECT_EQ(clocks(0), (Clocks{6009, 6209, 6209}));
  EXPECT_EQ(error(0, 0), Error::none);
  EXPECT_EQ(error(0, 2), Error::failed);
}

// Rank 1 has the request at 1200, and answers from 8000 to 8300. The answer arrives at 9300; then c_r + o_s.
TEST_F(Noticed, DetachWaitsForAllHandshakesAndEndsWithoutAFailure) {
  run({{buffered(2, 101), of(Action::detach)}, {}, works_});
  EXPECT_EQ(clocks(0), (Clocks{100, 6000}));
  EXPECT_EQ(error(0, 1), Error::none);
  run({{buffered(2, 101), buffered(1, 101), of(Action::detach)}, {compute(8000), receive(0)}, works_});
  EXPECT_EQ(clocks(0), (Clocks{100, 200, 9600}));
  EXPECT_EQ(error(0, 2), Error::none);
  EXPECT_EQ(clocks(1), (Clocks{8000, 9600 + 1000 + 100 + 200}));
}

// --- E5

// Rank 1's message leaves at 8100 and arrives at 9110.
TEST_F(Noticed, AReceiveInDoubtGoesOnOnceTheFailureIsAcknowledged) {
  const Operation wait = call(Action::wait, {0});
  run({{ireceive(any, 0), wait, of(Action::get_acknowledged), wait, of(Action::acknowledge),
        of(Action::get_acknowledged), wait},
       {compute(8000), send(0, 11)},
       works_});
  EXPECT_EQ(clocks(0), (Clocks{0, 6000, 6000, 6000, 6000, 6000, 9310}));
  EXPECT_EQ(error(0, 1, 0), Error::pending);
  EXPECT_EQ(outcome(0, 2).value, 0);
  EXPECT_EQ(error(0, 3, 0), Error::pending);
  EXPECT_EQ(outcome(0, 5).value, 1 << 2);
  EXPECT_EQ(error(0, 6, 0), Error::none);
  EXPECT_EQ(outcome(0, 6).completions.at(0).source, 1);
}

TEST_F(Noticed, AReceiveThatReturnsNoRequestIsTakenBack) {
  EXPECT_EQ(run({{receive(any), receive(1)}, {compute(8000), send(0, 11)}, works_}),
            Simulator::End::finished);
  EXPECT_EQ(clocks(0), (Clocks{6000, 9310}));
  EXPECT_EQ(error(0, 0), Error::failed);
  EXPECT_EQ(error(0, 1), Error::none);
}

// The call ends because of the other receive. By then, messages of 7100 and 7200 have arrived for both.
TEST_F(Noticed, WhatComesBeforeTheCallEndsCompletesAReceiveInDoubt) {
  run({{ireceive(any, 0, 1), ireceive(1, 1, 2), call(Action::wait_all, {0, 1})},
       {compute(6000), send(0, 1, 1), send(0, 1, 2)},
       works_});
  EXPECT_EQ(outcome(0, 2).clock, 7300 + 200);
  EXPECT_EQ(error(0, 2, 0), Error::none);
  EXPECT_EQ(error(0, 2, 1), Error::none);
}

TEST_F(Noticed, AProbeOfAnySourceIsInDoubtThoughAMessageComesLater) {
  run({{probe(any), of(Action::acknowledge), probe(any), receive(1)}, {compute(8000), send(0, 11)}, works_});
  EXPECT_EQ(clocks(0), (Clocks{6000, 6000, 9110, 9310}));
  EXPECT_EQ(error(0, 0), Error::failed);
  EXPECT_EQ(error(0, 2), Error::none);
}

// --- E6

// A barrier of three takes 2 (o_s + L + o_r).
TEST_F(Noticed, ACollectiveIsBrokenWhenTheFailureIsKnown) {
  const Operation barrier = of(Action::barrier);
  run({{barrier, barrier, barrier},
       {barrier, barrier, of(Action::acknowledge), barrier},
       {barrier, compute(1'000'000)}});
  EXPECT_EQ(clocks(0), (Clocks{2600, 6000, 6000}));
  EXPECT_EQ(clocks(1), (Clocks{2600, 6000, 6000, 6000}));
  EXPECT_EQ(error(0, 0), Error::none);
  EXPECT_EQ(error(0, 1), Error::failed);
  EXPECT_EQ(error(0, 2), Error::failed);
  EXPECT_EQ(error(1, 3), Error::failed);  // acknowledged or not
}

// Rank 1 begins the barrier before N, and begins to wait after it.
TEST_F(Noticed, AWaitInACollectiveThatBeginsLateIsBrokenThen) {
  const Operations late = {compute(5950), of(Action::barrier)};
  run({late, late, works_});
  EXPECT_EQ(clocks(0), (Clocks{5950, 6050}));
  EXPECT_EQ(clocks(1), (Clocks{5950, 6050}));
  EXPECT_EQ(error(1, 1), Error::failed);
}

// --- agreements. Rank 0 is the speaker: it never fails, and is the first of the ranks
// that fail last. A contribution has 20 bytes, so it arrives 100 + 1019 after it began.

// Rank 0 has rank 1's contribution at 1319, and waits for rank 2 until 6000. Its answer arrives at rank 1 at
// 7319. The allreduce of 8 bytes is an exchange: rank 0's part arrives at 6200 + 1007, rank 1's at 7419 + 1007.
TEST_F(Noticed, AgreementWithoutOneThatDidNotCome) {
  run({{agree(6)}, {agree(3)}, works_});
  EXPECT_EQ(clocks(0), Clocks{8626});
  EXPECT_EQ(clocks(1), Clocks{7619});
  for (const int rank : {0, 1}) {
    EXPECT_EQ(outcome(rank, 0).value, 2);
    EXPECT_EQ(error(rank, 0), Error::failed);
  }
}

// Rank 0 has rank 1's contribution at 7319, and the answer arrives at 8638.
TEST_F(Noticed, AgreementOfThoseWhoHaveAcknowledged) {
  const Operations knows = {receive(2), of(Action::acknowledge), agree(5)};
  run({knows, knows, works_});
  EXPECT_EQ(outcome(0, 2).clock, 9945);
  EXPECT_EQ(outcome(1, 2).clock, 8938);
  EXPECT_EQ(error(0, 2), Error::none);
  EXPECT_EQ(error(1, 2), Error::none);
  run({knows, {compute(6000), agree(5)}, works_});  // one has not
  EXPECT_EQ(error(0, 2), Error::failed);
  EXPECT_EQ(error(1, 1), Error::failed);
}

// Rank 2's contribution has arrived, but T is when rank 1's has come too, 7000 + 1319 + 200.
TEST_F(Noticed, AgreementWithoutOneThatFailedWhileItWaited) {
  run({{agree(6)}, {compute(7000), agree(3)}, {agree(8)}});
  EXPECT_EQ(clocks(0), Clocks{11145});
  EXPECT_EQ(clocks(1), (Clocks{7000, 10138}));
  EXPECT_EQ(outcome(0, 0).value, 2);
  EXPECT_EQ(error(0, 0), Error::failed);
  EXPECT_EQ(clocks(2), Clocks());
}

// T is 4999 or 5000: all three ranks are live, or rank 2 is down by then.
TEST_F(Noticed, AgreementAtTheInstantOfTheFailure) {
  run({{agree(6)}, {compute(3480), agree(3)}, {agree(2)}});
  EXPECT_EQ(error(1, 1), Error::none);
  run({{agree(6)}, {compute(3481), agree(3)}, {agree(2)}});
  EXPECT_EQ(error(1, 1), Error::failed);
  EXPECT_EQ(clocks(1), (Clocks{3481, 6619}));
}

// T = 3519, and all ranks are live. Rank 0 answers rank 1 at 3619 and rank 2 at 3719; they have the answers at 4838 and
// 4938. Rank 0 sends its 8 bytes to rank 1, which has them at 5038 and exchanges with rank 2. But rank 2 goes down
// while it sends.
TEST_F(Noticed, AnAgreementStandsThoughAFailureBreaksItsCost) {
  run({{agree(6)}, {compute(2000), agree(3)}, {agree(2)}});
  EXPECT_EQ(clocks(0), Clocks{6000});
  EXPECT_EQ(clocks(1), (Clocks{2000, 6000}));
  EXPECT_EQ(clocks(2), Clocks());
  for (const int rank : {0, 1}) {
    EXPECT_EQ(outcome(rank, rank).value, 2);
    EXPECT_EQ(error(rank, rank), Error::none);
  }
}

// From 6100 and 7319 on: two exchanges of 32 bytes, then a barrier of two.
TEST_F(Noticed, ShrinkingCostsAnAllreduceOf64Bytes) {
  const Operations shrinks = {of(Action::shrink), of(Action::barrier, newest)};
  run({shrinks, shrinks, works_});
  EXPECT_EQ(clocks(0), (Clocks{8950, 11281}));
  EXPECT_EQ(clocks(1), (Clocks{9981, 10281}));
  for (const int rank : {0, 1}) {
    EXPECT_EQ(outcome(rank, 0).value, 0b011);
    EXPECT_EQ(error(rank, 0), Error::none);
    EXPECT_EQ(error(rank, 1), Error::none);
  }
}

// Creation by two ranks: an allreduce of 260 bytes, two exchanges. The last message
// arrives at rank 0 at 2654; rank 1's failure is known by then, or only later.
TEST_F(Noticed, ACommunicatorIsMadeWhereNothingIsMissing) {
  const std::vector<Operations> both(2, {of(Action::duplicate)});
  parameters_.always_eager = true;
  outages_.clear();
  down(1, 1653);
  run(both);
  EXPECT_EQ(clocks(0), Clocks{2653});
  EXPECT_EQ(error(0, 0), Error::failed);
  outages_[0].at = Interval::picoseconds(1654);
  run(both);
  EXPECT_EQ(clocks(0), Clocks{2854});
  EXPECT_EQ(error(0, 0), Error::none);
}

}  // namespace
}  // namespace emu::reference
