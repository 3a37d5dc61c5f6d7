// One rank with a scripted wire: every expected instant follows by hand from a formula of rank/semantics.md.
#include <thread>

#include "rank_fixture.h"

namespace emu::rank {
namespace {

TEST_F(RankTest, EagerSend) {
  compute(500);
  rank_->send(world_, 1, 4, buffer(10));
  EXPECT_EQ(now(), 500 + o_s(10));
  ASSERT_EQ(wire_.sent.size(), 1u);
  EXPECT_EQ(wire_.sent[0].to, 1);
  EXPECT_EQ(sent(0).kind, Kind::eager);
  EXPECT_EQ(sent_at(0), 500 + o_s(10) + L + trailing(10));
  EXPECT_EQ(rank_->messages_sent(), 1);
  EXPECT_EQ(rank_->bytes_sent(), 10);
}

TEST_F(RankTest, AnEmptySendIsOneByteOnTheWire) {
  rank_->send(world_, 1, 4, buffer(0));
  EXPECT_EQ(sent_at(0), o_s(1) + L);
  EXPECT_EQ(sent(0).envelope.bytes, 0);
}

TEST_F(RankTest, EagerReceiveBeforeAndAfterTheArrival) {
  wire_.hand_in(Kind::eager, 5000, from(1, 4, 10));
  const Status status = rank_->receive(world_, 1, 4, buffer(10));
  EXPECT_EQ(now(), 5000 + o_r(10));
  EXPECT_EQ(status.source, 1);
  EXPECT_EQ(status.bytes, 10);
  EXPECT_EQ(memory_[9], std::byte{4});
  compute(3000);
  wire_.hand_in(Kind::eager, 5100, from(1, 4, 0));
  rank_->receive(world_, 1, 4, buffer(10));
  EXPECT_EQ(now(), 5000 + o_r(10) + 3000 + o_r(1));
  EXPECT_TRUE(wire_.questions.empty()) << "a receive from a named source asks nobody";
  EXPECT_EQ(wire_.allocated, 0);
}

TEST_F(RankTest, ATruncatedReceiveSaysSoAndWritesNoFurther) {
  wire_.hand_in(Kind::eager, 5000, from(1, 4, 10));
  EXPECT_TRUE(rank_->receive(world_, 1, 4, buffer(6)).truncated);
  EXPECT_EQ(memory_[5], std::byte{4});
  EXPECT_EQ(memory_[6], std::byte{0});
}

TEST_F(RankTest, TwoSendsStartTheGapApart) {
  model::Parameters p = parameters();
  p.gap = Interval::picoseconds(500);
  use(p);
  rank_->send(world_, 1, 4, buffer(10));
  rank_->send(world_, 2, 4, buffer(10));
  EXPECT_EQ(now(), 500 + o_s(10));
  EXPECT_EQ(rank_->clock().breakdown().wait.picoseconds(), 500 - o_s(10));
}

TEST_F(RankTest, ASerialCardSendsOneAfterAnother) {
  model::Parameters p = parameters();
  p.card = model::Card::serial;
  p.gap_per_byte = Rate::femtoseconds_per_byte(100'000);
  use(p);
  rank_->send(world_, 1, 4, buffer(10));
  rank_->send(world_, 2, 4, buffer(10));
  EXPECT_EQ(sent_at(0), o_s(10) + L);  // the head of the message
  EXPECT_EQ(sent_at(1), o_s(10) + 9 * 100 + L);
  EXPECT_EQ(now(), 2 * o_s(10));
}

model::Parameters serial() {
  model::Parameters p = parameters();
  p.card = model::Card::serial;
  return p;
}

TEST_F(RankTest, OnALinkThatBecameFasterAMessageDoesNotOvertakeTheOneBefore) {
  use_faster_from(serial(), o_s(10) + 1);
  rank_->send(world_, 1, 4, buffer(10));
  rank_->send(world_, 2, 4, buffer(10));
  rank_->send(world_, 1, 4, buffer(10));
  compute(L);
  rank_->send(world_, 1, 4, buffer(10));
  EXPECT_EQ(sent_at(0), o_s(10) + L);
  EXPECT_EQ(sent_at(1), 2 * o_s(10) + L / 10) << "to another rank";
  EXPECT_EQ(sent_at(2), o_s(10) + L);
  EXPECT_EQ(sent_at(3), 4 * o_s(10) + L + L / 10);
  for (std::size_t i : {0u, 2u}) EXPECT_EQ(Instant::start() + sent(i).path.total(), sent(i).arrival.at);
}

TEST_F(RankTest, WithFreeCardsAMessageArrivesAfterItsOwnLatency) {
  use_faster_from(parameters(), o_s(10) + 1);
  rank_->send(world_, 1, 4, buffer(10));
  rank_->send(world_, 1, 4, buffer(10));
  EXPECT_EQ(sent_at(1), 2 * o_s(10) + L / 10 + trailing(10));
}

TEST_F(RankTest, ReceivesTakeMessagesOfALinkThatBecameFasterInTheOrderInWhichTheyWereSent) {
  use_faster_from(serial(), o_s(10) + 1);
  rank_->send(world_, 1, 4, buffer(10));
  rank_->send(world_, 1, 4, buffer(5));
  ScriptedWire wire;
  Rank receiver(1, ranks, *network_, wire);
  for (const ScriptedWire::Sent& s : wire_.sent) {
    match::Message* const m = wire.hand_in(s.message->kind, 0, s.message->envelope);
    m->arrival = s.message->arrival;
    m->card = s.message->card;
    m->occupancy = s.message->occupancy;
    m->path = s.message->path;
  }
  const Communicator world{2, 1, {0, 1, 2}};
  EXPECT_EQ(receiver.probe(world, any_source, any_tag).bytes, 10);
  EXPECT_EQ(receiver.receive(world, 0, any_tag, buffer(10)).bytes, 10);
  EXPECT_EQ(receiver.receive(world, any_source, any_tag, buffer(10)).bytes, 5);
  EXPECT_EQ(Instant::start() + receiver.clock().path().total(), receiver.now());
}

TEST_F(RankTest, RendezvousAtTheSender) {
  compute(100);
  wire_.while_asleep.push_back([&] {
    ASSERT_EQ(wire_.sent.size(), 1u);
    EXPECT_EQ(sent(0).kind, Kind::request);
    EXPECT_EQ(sent_at(0), 100 + c_s + L);
    match::Message* const answer = wire_.hand_in(Kind::answer, 9000, from(1, 0, 0));
    answer->sender_request = sent(0).sender_request;
    answer->receiver_request = 1;  // to a request, not to data
  });
  rank_->send(world_, 1, 4, buffer(200));
  EXPECT_EQ(now(), 9000 + c_r + o_s(200));
  ASSERT_EQ(wire_.sent.size(), 2u);
  EXPECT_EQ(sent(1).kind, Kind::data);
  EXPECT_EQ(sent_at(1), 9000 + c_r + o_s(200) + L + trailing(200));
  EXPECT_EQ(rank_->messages_sent(), 1);
  EXPECT_EQ(rank_->clock().breakdown().handshake.picoseconds(), c_s + c_r);
}

TEST_F(RankTest, AnAnswerIsAtHandAfterTheFurtherTripsOfItsHandshake) {
  model::Parameters p = parameters();
  p.handshake_trips = 4;
  use(p);
  compute(100);
  wire_.while_asleep.push_back([&] {
    match::Message* const answer = wire_.hand_in(Kind::answer, 9000, from(1, 0, 0));
    answer->sender_request = sent(0).sender_request;
    answer->receiver_request = 1;
    answer->path.compute = Interval::picoseconds(9000);
    answer->further = Interval::picoseconds(2 * L);
    answer->further_latencies = 2;
  });
  rank_->send(world_, 1, 4, buffer(200));
  EXPECT_EQ(now(), 9000 + 2 * L + c_r + o_s(200));
  EXPECT_EQ(rank_->clock().path().latencies, 2);
  EXPECT_EQ(Instant::start() + rank_->clock().path().total(), rank_->now());
}

TEST_F(RankTest, AnAnswerSaysHowMuchLaterItIsAtHand) {
  model::Parameters p = parameters();
  p.handshake_trips = 4;
  use(p);
  const auto request = [&] { wire_.hand_in(Kind::request, 500, from(1, 4, 200))->sender_request = 7; };
  wire_.while_asleep.push_back(request);
  wire_.while_asleep.push_back([&] {
    ASSERT_EQ(wire_.sent.size(), 1u);
    EXPECT_EQ(sent(0).further.picoseconds(), 2 * L);
    EXPECT_EQ(sent(0).further_latencies, 2);
    EXPECT_EQ(sent_at(0), 500 + c_r + c_s + L);
    wire_.hand_in(Kind::data, 9000, from(1, 4, 200))->receiver_request = sent(0).receiver_request;
  });
  rank_->receive(world_, 1, 4, buffer(200));
}

TEST_F(RankTest, RendezvousAtTheReceiver) {
  compute(100);
  wire_.hand_in(Kind::request, 2000, from(1, 4, 200))->sender_request = 77;
  wire_.while_asleep.push_back([&] {
    ASSERT_EQ(wire_.sent.size(), 1u);
    EXPECT_EQ(sent(0).kind, Kind::answer);
    EXPECT_EQ(sent(0).sender_request, 77u);
    EXPECT_EQ(sent_at(0), 2000 + c_r + c_s + L);
    wire_.hand_in(Kind::data, 9000, from(1, 4, 200))->receiver_request = sent(0).receiver_request;
  });
  const Status status = rank_->receive(world_, 1, 4, buffer(200));
  EXPECT_EQ(now(), 9000 + o_r(200));
  EXPECT_EQ(status.bytes, 200);
  EXPECT_EQ(memory_[199], std::byte{4});
}

TEST_F(RankTest, ALongSynchronousMessageIsAHandshakeAndBufferedNeverWaits) {
  rank_->free(rank_->isend(world_, 1, 4, buffer(200), Mode::synchronous));
  EXPECT_EQ(sent(0).kind, Kind::request);
  rank_->send(world_, 1, 4, buffer(200), Mode::buffered);
  EXPECT_EQ(sent(1).kind, Kind::request);
  EXPECT_EQ(now(), 2 * c_s);
}

// A thread that completes another's operation, or cancels a receive, wakes the waiting thread, whose message may have
// changed.
TEST_F(RankTest, AnotherThreadThatEndsWhatOneWaitsForWakesIt) {
  int woken = 0;
  Monitor monitor({[] { return true; }, [](int) { return true; }, [] { return Monitor::Others(); }},
                  [&] { ++woken; });
  rank_->share(monitor);
  // Actions of another thread while the waiting thread sleeps on the wire.
  const auto another = [&](auto act) {
    wire_.while_asleep.push_back([&monitor, act] {
      monitor.release();
      monitor.enter();
      act();
      monitor.leave();
      monitor.take();
    });
  };
  const auto own = rank_->deferred();
  Request* const request = own->request();
  another([&] {
    own->finish();
    EXPECT_EQ(woken, 1);
  });
  monitor.enter();
  rank_->wait_all({&request, 1});
  rank_->free(request);

  Request* const first = rank_->ireceive(world_, 1, 4, buffer(10));
  Request* const second = rank_->ireceive(world_, 1, 4, buffer(10));
  another([&] {
    rank_->cancel(first);
    EXPECT_GE(woken, 2);
    wire_.hand_in(Kind::eager, 5000, from(1, 4, 10));
  });
  rank_->wait_all({&second, 1});
  EXPECT_EQ(now(), 5000 + o_r(10));
  rank_->free(first);
  rank_->free(second);
  monitor.leave();
}

// The system reports a thread that waits for the lock as asleep.
TEST_F(RankTest, AThreadThatCallsWhileOthersAreLookedAtIsNotAsleep) {
  std::thread caller;
  Monitor* shared = nullptr;
  Monitor monitor({[] { return true; }, [](int) { return true; },
                   [&] {
                     caller = std::thread([&] {
                       shared->enter();
                       shared->leave();
                     });
                     while (!shared->entering()) std::this_thread::yield();
                     return Monitor::Others{true, true, {}};
                   }},
                  [] {});
  shared = &monitor;
  monitor.at_switches([] {}, [](const char*) {});
  monitor.enter();
  monitor.release();
  monitor.take();
  EXPECT_FALSE(monitor.others().nothing);
  monitor.leave();
  caller.join();
}

TEST_F(RankTest, BlockedWithoutAMessageItHasNoBound) {
  compute(100);
  wire_.while_asleep.push_back([&] { wire_.hand_in(Kind::eager, 3000, from(1, 4, 10)); });
  rank_->enter("MPI_Recv");
  rank_->receive(world_, 1, 4, buffer(10));
  ASSERT_EQ(wire_.blocks.size(), 1u);
  EXPECT_EQ(wire_.blocks[0].clock.picoseconds(), 100);
  EXPECT_TRUE(wire_.blocks[0].bound.is_never());
  EXPECT_EQ(wire_.blocks[0].reaction.picoseconds(), c_r);
  EXPECT_EQ(wire_.slept_for[0], match::Bounds::WakeUp::announcement);
  EXPECT_STREQ(wire_.waited[0].call, "MPI_Recv");
  EXPECT_EQ(wire_.waited[0].peer, 1);
  EXPECT_EQ(wire_.waited[0].tag, 4);
}

TEST_F(RankTest, AWildcardAsksEveryoneButTheSourceOfItsCandidate) {
  wire_.hand_in(Kind::eager, 5000, from(2, 4, 10));
  rank_->receive(world_, any_source, any_tag, buffer(10));
  EXPECT_EQ(now(), 5000 + o_r(10));
  ASSERT_FALSE(wire_.questions.empty());
  const auto& asked = wire_.questions[0];
  EXPECT_EQ(asked.key.at.picoseconds(), 5000);
  EXPECT_EQ(asked.key.source, 2);
  EXPECT_TRUE(asked.everyone);
  EXPECT_EQ(asked.except, 2);
}

TEST_F(RankTest, AWildcardWaitsForWhoStandsInTheWayAndTakesWhatArrivesEarlier) {
  bool free_way = false;
  wire_.blocking_rank_answer = [&](const ScriptedWire::Question&) {
    return free_way ? std::nullopt : std::optional<int>(1);
  };
  wire_.hand_in(Kind::eager, 5000, from(2, 4, 10));
  wire_.while_asleep.push_back([] {});  // woken without a reason
  wire_.while_asleep.push_back([&] {
    wire_.hand_in(Kind::eager, 4000, from(1, 4, 20));
    free_way = true;
  });
  EXPECT_EQ(rank_->receive(world_, any_source, any_tag, buffer(20)).source, 1);
  EXPECT_EQ(now(), 4000 + o_r(20));
  ASSERT_EQ(wire_.blocks.size(), 2u);
  EXPECT_EQ(wire_.blocks[0].bound.picoseconds(), 5000 + c_r);
  EXPECT_EQ(wire_.slept_for, (std::vector{match::Bounds::WakeUp::bound, match::Bounds::WakeUp::bound}));
}

TEST_F(RankTest, WhatWasAnnouncedSinceIsDrainedFirst) {
  wire_.hand_in(Kind::eager, 5000, from(2, 4, 10));
  int asked = 0;
  wire_.blocking_rank_answer = [&](const ScriptedWire::Question&) -> std::optional<int> {
    if (asked++ > 0) return std::nullopt;
    wire_.hand_in(Kind::eager, 4000, from(1, 4, 20));
    return 0;  // this rank itself
  };
  EXPECT_EQ(rank_->receive(world_, any_source, any_tag, buffer(20)).source, 1);
  EXPECT_TRUE(wire_.blocks.empty());
}

TEST_F(RankTest, WaitAnyHandlesTheEarliestOnly) {
  Request* requests[] = {rank_->ireceive(world_, 1, 4, buffer(10)),
                         rank_->ireceive(world_, 2, 4, buffer(10))};
  wire_.hand_in(Kind::eager, 6000, from(1, 4, 10));
  wire_.hand_in(Kind::eager, 5000, from(2, 4, 10));
  EXPECT_EQ(rank_->wait_any(requests), 1);
  EXPECT_EQ(now(), 5000 + o_r(10));
  EXPECT_FALSE(requests[0]->complete());
  rank_->wait_all(requests);
  EXPECT_EQ(now(), 6000 + o_r(10));
}

TEST_F(RankTest, ThePeerProcNullIsFree) {
  rank_->send(world_, proc_null, 4, buffer(10));
  EXPECT_EQ(rank_->receive(world_, proc_null, 4, buffer(10)).source, proc_null);
  EXPECT_EQ(now(), 0);
  EXPECT_TRUE(wire_.sent.empty());
}

TEST_F(RankTest, TellsItsClockWhenTheProgramGoesOn) {
  rank_->send(world_, 1, 4, buffer(10));
  rank_->leave();
  ASSERT_EQ(wire_.ran.size(), 1u);
  EXPECT_EQ(wire_.ran[0].picoseconds(), o_s(10));
}

// By that instant the receive has chosen the first message. The probe finds the second one, which was sent before a
// faster message of another tag.
TEST_F(RankTest, AProbeLooksAfterTheChoicesThatAreMadeByItsInstant) {
  compute(5000);
  wire_.hand_in(Kind::eager, 3000, from(1, 4, 10));
  wire_.hand_in(Kind::eager, 3010, from(1, 4, 12));
  wire_.hand_in(Kind::eager, 2900, from(1, 5, 14));
  Request* const receive = rank_->ireceive(world_, any_source, 4, buffer(100));
  const Status found = rank_->probe(world_, any_source, any_tag);
  EXPECT_EQ(now(), 5000);
  EXPECT_EQ(found.tag, 4);
  EXPECT_EQ(found.bytes, 12);
  rank_->wait_all({&receive, 1});
  EXPECT_EQ(receive->status.bytes, 10);
  rank_->free(receive);
  EXPECT_EQ(rank_->receive(world_, 1, any_tag, buffer(100)).bytes, 12);
  EXPECT_EQ(rank_->receive(world_, 1, any_tag, buffer(100)).bytes, 14);
}

// The wildcard receives choose at 5005, long before. So the message that they leave to the named receive comes first,
// since it arrived first.
TEST_F(RankTest, EventsComeAfterTheChoicesThatAreMadeByTheirInstant) {
  compute(9000);
  wire_.hand_in(Kind::eager, 5005, from(2, 4, 10));
  wire_.hand_in(Kind::request, 5000, from(2, 4, 200));
  wire_.hand_in(Kind::request, 5000, from(2, 5, 201))->sender_request = 77;
  Request* requests[] = {rank_->ireceive(world_, any_source, 4, buffer(10)),
                         rank_->ireceive(world_, any_source, 4, buffer(200)),
                         rank_->ireceive(world_, 2, any_tag, buffer(201))};
  int index = -1;
  EXPECT_TRUE(rank_->test_any({requests, 1}, index));
  EXPECT_EQ(now(), 9000 + c_r + c_s + o_r(10));
  ASSERT_EQ(wire_.sent.size(), 1u);
  EXPECT_EQ(sent(0).sender_request, 77u);
}

// The choice of rank 2's message releases the second message of rank 0, at the instant at which rank 1's arrives.
TEST_F(RankTest, EventsComeAfterTheChoicesOfTheSameInstant) {
  Request* requests[] = {
      rank_->ireceive(world_, any_source, 4, buffer(10)), rank_->ireceive(world_, 0, any_tag, buffer(10)),
      rank_->ireceive(world_, 0, any_tag, buffer(10)), rank_->ireceive(world_, 1, 6, buffer(10))};
  wire_.hand_in(Kind::eager, 6000, from(0, 4, 7));
  wire_.hand_in(Kind::eager, 4000, from(0, 5, 8));
  wire_.hand_in(Kind::eager, 5000, from(1, 6, 9));
  wire_.hand_in(Kind::eager, 5000, from(2, 4, 10));
  EXPECT_EQ(rank_->wait_any({&requests[2], 2}), 0);
  EXPECT_EQ(now(), 5000 + o_r(8));
}

}  // namespace
}  // namespace emu::rank
