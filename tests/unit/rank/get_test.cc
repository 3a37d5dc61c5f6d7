// Handshakes whose data the receiver reads: `rendezvous = "get"`.
#include "rank_fixture.h"

namespace emu::rank {
namespace {

constexpr std::int64_t k = 200;  // bytes of a message with a handshake

class GetTest : public RankTest {
 protected:
  GetTest() { use(getting()); }
  static model::Parameters getting(int trips = 2) {
    model::Parameters p = parameters();
    p.rendezvous = model::Rendezvous::get;
    p.handshake_trips = trips;
    return p;
  }
  void request(std::int64_t at, int source = 1) {
    match::Message* const m = wire_.hand_in(Kind::request, at, from(source, 4, k));
    m->sender_request = 77;
    m->get = true;
    m->path.compute = Interval::picoseconds(at);
  }
  // The rank's message to itself arrives.
  void arrives(std::size_t i) {
    ASSERT_EQ(wire_.sent.at(i).to, 0);
    const match::Message& m = sent(i);
    match::Message* const own = wire_.hand_in(m.kind, 0, m.envelope);
    own->arrival = m.arrival;
    own->sender_request = m.sender_request;
    own->receiver_request = m.receiver_request;
    own->get = m.get;
    own->path = m.path;
    std::copy_n(m.payload(), m.carried(), own->payload());
  }
  // Instants of a read that begins with the handling of a request at `at`.
  static std::int64_t data_at(std::int64_t at, int trips = 2) {
    return at + c_r + o_s(k) + (trips - 1) * L + L + trailing(k);
  }
};

TEST_F(GetTest, TheSenderPaysForNoDataAndIsDoneWhenTheyAreRead) {
  compute(100);
  memory_[k - 1] = std::byte{9};
  wire_.while_asleep.push_back([&] {
    ASSERT_EQ(wire_.sent.size(), 1u);
    EXPECT_EQ(sent(0).kind, Kind::request);
    EXPECT_EQ(sent_at(0), 100 + c_s + L);
    EXPECT_EQ(sent(0).carried(), k);
    EXPECT_EQ(sent(0).payload()[k - 1], std::byte{9});
    wire_.hand_in(Kind::answer, 9000, from(1, 0, 0))->sender_request = sent(0).sender_request;
  });
  rank_->send(world_, 1, 4, buffer(k));
  EXPECT_EQ(now(), 9000 + c_r);
  EXPECT_EQ(wire_.sent.size(), 1u);
  EXPECT_EQ(rank_->clock().breakdown().handshake.picoseconds(), c_s + c_r);
  EXPECT_EQ(rank_->clock().breakdown().send_overhead, Interval());
}

TEST_F(GetTest, TheReceiverPaysForSendAndReceiveAndAcknowledges) {
  for (const int trips : {2, 4}) {
    use(getting(trips));
    wire_.sent.clear();
    request(2000);
    wire_.while_asleep.push_back([&] {
      ASSERT_EQ(wire_.sent.size(), 1u);
      EXPECT_EQ(sent(0).kind, Kind::data);
      EXPECT_EQ(sent_at(0), data_at(2000, trips));
      EXPECT_EQ(sent(0).path.latencies, trips);
      arrives(0);
    });
    const Status status = rank_->receive(world_, 1, 4, buffer(k));
    const std::int64_t end = data_at(2000, trips) + o_r(k) + c_s;
    EXPECT_EQ(now(), end);
    EXPECT_EQ(status.source, 1);
    EXPECT_EQ(status.bytes, k);
    EXPECT_EQ(memory_[k - 1], std::byte{4});
    ASSERT_EQ(wire_.sent.size(), 2u);
    EXPECT_EQ(wire_.sent[1].to, 1);
    EXPECT_EQ(sent(1).kind, Kind::answer);
    EXPECT_EQ(sent(1).sender_request, 77u);
    EXPECT_TRUE(sent(1).acknowledges());
    EXPECT_EQ(sent_at(1), end + L);
    EXPECT_EQ(rank_->clock().breakdown().send_overhead.picoseconds(), o_s(k));
    EXPECT_EQ(rank_->clock().path().sent_bytes, k + 1);  // and the acknowledgement
    EXPECT_EQ(Instant::start() + rank_->clock().path().total(), rank_->now());
  }
}

TEST_F(GetTest, TheWayIsThatOfTheDataBehindTheWayOfTheRequestToRead) {
  model::Topology topology = model::Topology::uniform(getting(), ranks);
  topology.ranks = {{0, 0}, {1, 1}, {2, 1}};
  topology.groups = 2;
  const model::Link usual = topology.between[0];
  model::Link there = usual, back = usual;
  there.latency = Interval::picoseconds(300);
  there.gap_per_byte = Rate::femtoseconds_per_byte(7000);
  there.send.fixed += Interval::picoseconds(40);
  back.latency = Interval::picoseconds(5000);
  topology.between = {usual, back, there, usual};  // rank 0 is on group 0
  topology.inside = {usual, usual};
  use(getting(), topology);
  request(2000);
  wire_.while_asleep.push_back([&] {
    EXPECT_EQ(sent_at(0), 2000 + c_r + o_s(k) + 40 + 5000 + 300 + 7 * (k - 1));
    arrives(0);
  });
  rank_->receive(world_, 1, 4, buffer(k));
}

TEST_F(GetTest, AnyCallTakesTheDataThatItsRankReads) {
  for (const bool freed : {false, true}) {
    wire_.sent.clear();
    const std::int64_t begin = now();
    Request* const r = rank_->ireceive(world_, 1, 4, buffer(k));
    if (freed) rank_->free(r);
    request(begin + 2000);
    wire_.hand_in(Kind::eager, begin + 30000, from(1, 5, 1));
    wire_.at_delivery = [&](std::size_t i) {
      if (wire_.sent.at(i).to == 0) arrives(i);
    };
    rank_->receive(world_, 1, 5, buffer(0));
    wire_.at_delivery = {};
    EXPECT_EQ(now(), begin + 30000 + o_r(1));
    ASSERT_EQ(wire_.sent.size(), 2u);
    EXPECT_EQ(sent_at(1), data_at(begin + 2000) + o_r(k) + c_s + L);
    if (freed) continue;
    EXPECT_TRUE(r->complete());
    rank_->free(r);
  }
}

// A read that has begun is part of the receive.
TEST_F(GetTest, AReceiveThatReadsIsNotCancelled) {
  Request* const r = rank_->ireceive(world_, 1, 4, buffer(k));
  request(2000);
  wire_.at_delivery = [&](std::size_t i) {
    if (wire_.sent.at(i).to == 0) arrives(i);
  };
  compute(2000);
  rank_->cancel(r);
  EXPECT_FALSE(r->complete());
  rank_->wait_all({&r, 1});
  EXPECT_FALSE(r->status.cancelled);
  EXPECT_EQ(memory_[k - 1], std::byte{4});
  rank_->free(r);
}

TEST_F(GetTest, ARankReadsItsOwnMemoryAndSendsNoAcknowledgement) {
  Request* const send = rank_->isend(world_, 0, 4, buffer(k));
  arrives(0);
  wire_.at_delivery = [&](std::size_t i) { arrives(i); };
  rank_->receive(world_, 0, 4, buffer(k));
  EXPECT_EQ(now(), data_at(c_s + L) + o_r(k));
  EXPECT_EQ(wire_.sent.size(), 2u);
  EXPECT_TRUE(send->complete());
  rank_->free(send);
}

// A rank that has finished still acknowledges what it reads for receives without a request.
TEST_F(GetTest, ARankEndsAfterItsReads) {
  rank_->free(rank_->ireceive(world_, 1, 4, buffer(k)));
  request(2000);
  wire_.while_asleep.push_back([&] { arrives(0); });
  compute(2000);
  rank_->iprobe(world_, 2, 9);  // begins to read
  ASSERT_EQ(wire_.sent.size(), 1u);
  rank_->finish();
  ASSERT_EQ(wire_.sent.size(), 2u);
  EXPECT_EQ(sent(1).kind, Kind::answer);
}

TEST_F(GetTest, NothingIsReadFromANodeThatHasFailed) {
  const auto at = [](std::int64_t t) { return Instant::from_picoseconds(t); };
  const std::int64_t asks = 2000 + c_r + o_s(k) + L;  // the request to read arrives at the sender
  for (const bool in_time : {true, false}) {
    Node node;
    node.failures = {Instant::never(), at(in_time ? asks + 1 : asks), Instant::never()};
    ScriptedWire wire;
    Rank rank(0, ranks, *network_, wire, std::move(node));
    match::Message* const m = wire.hand_in(Kind::request, 2000, from(1, 4, k));
    m->sender_request = 77;
    m->get = true;
    Request* const r = rank.ireceive(world_, 1, 4, buffer(k));
    EXPECT_TRUE(rank.declared(Interval::picoseconds(2000)));
    rank.iprobe(world_, 2, 9);
    EXPECT_EQ(wire.sent.size(), in_time ? 1u : 0u);
    EXPECT_EQ(wire.losses.size(), in_time ? 0u : 1u);
    EXPECT_FALSE(r->complete());
  }
}

}  // namespace
}  // namespace emu::rank
