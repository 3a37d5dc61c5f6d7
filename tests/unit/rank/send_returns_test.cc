// Sends that last until their last byte has left: `send_returns = "sent"`.
#include "rank_fixture.h"

namespace emu::rank {
namespace {

class SendReturnsTest : public RankTest {
 protected:
  SendReturnsTest() { use(whole(5)); }
  // `gap`: G in picoseconds. A byte of o_s takes 3.
  static model::Parameters whole(std::int64_t gap) {
    model::Parameters p = parameters();
    p.gap_per_byte = Rate::femtoseconds_per_byte(gap * 1000);
    p.send_returns = model::SendReturns::sent;
    return p;
  }
  const record::Path& path() const { return rank_->clock().path(); }
};

TEST_F(SendReturnsTest, WhereTheWireIsSlowerTheSenderWaitsForIt) {
  compute(100);
  rank_->send(world_, 1, 4, buffer(50));
  const std::int64_t end = 100 + c_s + 5 * 49;
  EXPECT_EQ(now(), end);
  EXPECT_EQ(sent_at(0), end + L);
  EXPECT_EQ(rank_->clock().breakdown().send_overhead.picoseconds(), o_s(50));
  EXPECT_EQ(rank_->clock().breakdown().wait.picoseconds(), c_s + 5 * 49 - o_s(50));
  for (const record::Path& p : {path(), sent(0).path}) {
    EXPECT_EQ(p.send_overhead.picoseconds(), c_s);
    EXPECT_EQ(p.gap_per_byte.picoseconds(), 5 * 49);
    EXPECT_EQ(p.sends, 1);
    EXPECT_EQ(p.sent_bytes, 1);
    EXPECT_EQ(p.gap_bytes, 49);
  }
  EXPECT_EQ(Instant::start() + path().total(), rank_->now());
  EXPECT_EQ(Instant::start() + sent(0).path.total(), sent(0).arrival.at);
}

TEST_F(SendReturnsTest, WhereTheCopyIsSlowerTheWireTakesNoTimeOfItsOwn) {
  for (const std::int64_t gap : {0, 2, 3}) {  // with 3 both take the same time
    use(whole(gap));
    wire_.sent.clear();
    rank_->send(world_, 1, 4, buffer(50));
    EXPECT_EQ(now(), o_s(50));
    EXPECT_EQ(sent_at(0), o_s(50) + L);
    for (const record::Path& p : {path(), sent(0).path}) {
      EXPECT_EQ(p.gap_per_byte, Interval());
      EXPECT_EQ(p.gap_bytes, 0);
      EXPECT_EQ(p.sends, 1);
      EXPECT_EQ(p.sent_bytes, 50);
    }
    EXPECT_EQ(rank_->clock().breakdown().wait, Interval());
  }
}

TEST_F(SendReturnsTest, EmptyMessagesTakeWhatTheyAlwaysTake) {
  rank_->send(world_, 1, 4, buffer(0));
  EXPECT_EQ(now(), c_s);
  EXPECT_EQ(sent_at(0), c_s + L);
}

TEST_F(SendReturnsTest, ANonblockingSendTakesItsTimeInTheCallThatStartsIt) {
  Request* const first = rank_->isend(world_, 1, 4, buffer(50));
  EXPECT_TRUE(first->complete());
  EXPECT_EQ(now(), c_s + 5 * 49);
  Request* const second = rank_->isend(world_, 2, 4, buffer(50));
  EXPECT_EQ(now(), 2 * (c_s + 5 * 49));
  EXPECT_EQ(sent_at(1), 2 * (c_s + 5 * 49) + L);
  rank_->free(first);
  rank_->free(second);
}

TEST_F(SendReturnsTest, TheGapBetweenSendsIsBetweenTheirStarts) {
  model::Parameters p = whole(5);
  p.gap = Interval::picoseconds(300);
  use(p);
  rank_->send(world_, 1, 4, buffer(50));
  rank_->send(world_, 1, 4, buffer(90));
  rank_->send(world_, 1, 4, buffer(1));
  EXPECT_EQ(sent_at(1), 300 + c_s + 5 * 89 + L);
  EXPECT_EQ(sent_at(2), 300 + c_s + 5 * 89 + c_s + L) << "the send before lasts longer than g";
}

TEST_F(SendReturnsTest, TheDataOfAHandshakeLeaveInTheCallThatHandlesTheAnswer) {
  wire_.while_asleep.push_back([&] {
    EXPECT_EQ(sent_at(0), c_s + L);
    match::Message* const answer = wire_.hand_in(Kind::answer, 9000, from(1, 0, 0));
    answer->sender_request = sent(0).sender_request;
    answer->receiver_request = 77;
  });
  rank_->send(world_, 1, 4, buffer(200));
  const std::int64_t end = 9000 + c_r + c_s + 5 * 199;
  EXPECT_EQ(now(), end);
  ASSERT_EQ(wire_.sent.size(), 2u);
  EXPECT_EQ(sent(1).kind, Kind::data);
  EXPECT_EQ(sent_at(1), end + L);
}

TEST_F(SendReturnsTest, DataThatTheReceiverReadsTakeNoTimeOfTheirSender) {
  model::Parameters p = whole(5);
  p.rendezvous = model::Rendezvous::get;
  use(p);
  match::Message* const m = wire_.hand_in(Kind::request, 2000, from(1, 4, 200));
  m->sender_request = 77;
  m->get = true;
  Request* const r = rank_->ireceive(world_, 1, 4, buffer(200));
  compute(2000);
  rank_->iprobe(world_, 2, 9);
  EXPECT_EQ(now(), 2000 + c_r + o_s(200) + poll_cost);
  EXPECT_EQ(sent_at(0), 2000 + c_r + o_s(200) + 2 * L + 5 * 199);
  rank_->free(r);
}

TEST_F(SendReturnsTest, ALinkHasItsOwnRule) {
  model::Topology topology = model::Topology::uniform(parameters(), ranks);
  topology.ranks = {{0, 0}, {1, 0}, {2, 1}};
  topology.groups = 2;
  const model::Link usual = topology.between[0];
  model::Link sent_whole = usual;
  sent_whole.send_returns = model::SendReturns::sent;
  sent_whole.gap_per_byte = Rate::femtoseconds_per_byte(5000);
  topology.between = {usual, sent_whole, usual, usual};
  topology.inside = {usual, usual};
  use(parameters(), topology);
  rank_->send(world_, 1, 4, buffer(50));
  EXPECT_EQ(now(), o_s(50));
  EXPECT_EQ(sent_at(0), o_s(50) + L + trailing(50));
  rank_->send(world_, 2, 4, buffer(50));
  EXPECT_EQ(now(), o_s(50) + c_s + 5 * 49);
  EXPECT_EQ(sent_at(1), now() + L);
}

TEST_F(SendReturnsTest, TheFirstByteLeavesByTheValuesOfThePieceOfTheMessage) {
  model::Parameters p = whole(5);
  model::Piece piece{64, p.latency, Rate::femtoseconds_per_byte(9000), p.send, p.receive};
  piece.send.fixed = Interval::picoseconds(400);
  p.pieces = {piece};
  use(p);
  rank_->send(world_, 1, 4, buffer(50));
  EXPECT_EQ(now(), c_s + 390 + 9 * 49);
  EXPECT_EQ(sent_at(0), now() + L);
}

// The rate at the instant at which the first byte leaves.
TEST_F(SendReturnsTest, AChangeOfTheLinkCountsFromTheFirstByteOn) {
  for (const std::int64_t before : {0, 1}) {
    model::Topology topology = model::Topology::uniform(whole(5), ranks);
    for (model::Link& link : topology.between)
      link.changes = {
          {Instant::from_picoseconds(c_s + before), Instant::never(), 1'000'000'000, 100'000'000}};
    use(whole(5), topology);
    wire_.sent.clear();
    rank_->send(world_, 1, 4, buffer(50));
    const std::int64_t rate = before ? 5 : 50;
    EXPECT_EQ(now(), c_s + rate * 49);
    EXPECT_EQ(path().gap_bytes, 49 * (rate / 5));
  }
}

// An outage of the sender delays what it pays for, and its clock, but no byte that has left.
TEST_F(SendReturnsTest, ANodeThatGoesDownMeanwhileHasSentItsData) {
  const auto at = [](std::int64_t t) { return Instant::from_picoseconds(t); };
  const std::int64_t sent_whole = c_s + 5 * 49;
  for (const std::int64_t from : {c_s - 1, c_s + 1, o_s(50) + 1}) {
    Node node;
    node.outages = model::Outages({{at(from), at(5000)}});
    ScriptedWire wire;
    Rank rank(0, ranks, *network_, wire, std::move(node));
    rank.send(world_, 1, 4, buffer(50));
    const std::int64_t stopped = 5000 - from;
    const bool first_late = from < c_s, copy_late = from < o_s(50);
    EXPECT_EQ(rank.now().picoseconds(), first_late  ? sent_whole + stopped
                                        : copy_late ? o_s(50) + stopped
                                                    : 5000);
    EXPECT_EQ(wire.sent.at(0).message->arrival.at.picoseconds(), L + (first_late  ? sent_whole + stopped
                                                                      : copy_late ? o_s(50) + stopped
                                                                                  : sent_whole));
  }
}

}  // namespace
}  // namespace emu::rank
