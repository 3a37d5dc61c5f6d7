// Short synchronous messages: data at once, and an acknowledgement.
#include "rank_fixture.h"

namespace emu::rank {
namespace {

TEST_F(RankTest, AShortSynchronousSendIsCompleteWithItsAcknowledgement) {
  compute(100);
  wire_.while_asleep.push_back([&] {
    EXPECT_EQ(sent(0).kind, Kind::eager);
    EXPECT_EQ(sent_at(0), 100 + o_s(10) + L + trailing(10));
    wire_.hand_in(Kind::answer, 9000, from(1, 0, 0))->sender_request = sent(0).sender_request;
  });
  rank_->send(world_, 1, 4, buffer(10), Mode::synchronous);
  EXPECT_EQ(now(), 9000 + c_r);
  EXPECT_EQ(wire_.sent.size(), 1u);
  EXPECT_EQ(rank_->clock().breakdown().handshake.picoseconds(), c_r);
}

// The data also complete the receive, whichever call handles them. The further trips of a handshake do not apply.
TEST_F(RankTest, ShortSynchronousDataAreAcknowledgedWhenTheyAreMatched) {
  model::Parameters p = parameters();
  p.handshake_trips = 4;
  use(p);
  for (const bool freed : {false, true}) {
    const std::int64_t begin = now();
    Request* const r = rank_->ireceive(world_, 1, 4, buffer(10));
    if (freed) rank_->free(r);
    wire_.hand_in(Kind::eager, begin + 2000, from(1, 4, 10))->sender_request = 77;
    wire_.hand_in(Kind::eager, begin + 9000, from(1, 5, 1));
    rank_->receive(world_, 1, 5, buffer(0));
    const match::Message& answer = sent(freed ? 1 : 0);
    EXPECT_EQ(answer.kind, Kind::answer);
    EXPECT_EQ(answer.sender_request, 77u);
    EXPECT_EQ(answer.receiver_request, 0u);
    EXPECT_EQ(answer.further, Interval());
    EXPECT_EQ(answer.arrival.at.picoseconds(), begin + 2000 + o_r(10) + c_s + L);
    EXPECT_EQ(memory_[9], std::byte{4});
    EXPECT_EQ(now(), begin + 9000 + o_r(1));
    memory_ = {};
    if (freed) continue;
    EXPECT_TRUE(r->complete());
    EXPECT_EQ(r->status.bytes, 10);
    rank_->free(r);
  }
}

// A cancelled receive sends no acknowledgement.
TEST_F(RankTest, ACancelledReceiveLeavesSynchronousDataToTheNext) {
  Request* const r = rank_->ireceive(world_, 1, 4, buffer(10));
  wire_.hand_in(Kind::eager, 2000, from(1, 4, 10))->sender_request = 77;
  rank_->cancel(r);
  EXPECT_TRUE(r->status.cancelled);
  rank_->free(r);
  EXPECT_TRUE(wire_.sent.empty());
  rank_->receive(world_, any_source, 4, buffer(10));
  EXPECT_EQ(sent_at(0), 2000 + o_r(10) + c_s + L);
}

// A rank that receives its own message knows at once that it is matched: only the data travel.
TEST_F(RankTest, AShortSynchronousSendToOneselfIsCompleteWithItsReceive) {
  for (const bool freed : {false, true}) {
    const std::int64_t begin = now();
    Request* const send = rank_->isend(world_, 0, 4, buffer(10), Mode::synchronous);
    if (freed) rank_->free(send);
    ASSERT_EQ(wire_.sent.size(), 1u);
    const std::int64_t arrival = sent_at(0);
    wire_.hand_in(Kind::eager, arrival, from(0, 4, 10))->sender_request = sent(0).sender_request;
    rank_->receive(world_, 0, 4, buffer(10));
    EXPECT_EQ(now(), arrival + o_r(10));
    EXPECT_EQ(wire_.sent.size(), 1u);
    wire_.sent.clear();
    EXPECT_GT(arrival, begin);
    if (freed) continue;
    EXPECT_TRUE(send->complete());
    rank_->free(send);
  }
  rank_->finish();  // awaits no answer
}

}  // namespace
}  // namespace emu::rank
