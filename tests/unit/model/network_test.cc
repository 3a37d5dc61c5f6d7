#include "model/network.h"

#include <gtest/gtest.h>

namespace emu::model {
namespace {

// All terms differ, so that confusions cannot cancel out.
Parameters example() {
  Parameters p;
  p.latency = Interval::picoseconds(1000);
  p.gap_per_byte = Rate::femtoseconds_per_byte(2000);
  p.eager_limit = 100;
  p.send = {Interval::picoseconds(10), Interval::picoseconds(1), Rate::femtoseconds_per_byte(3000)};
  p.receive = {Interval::picoseconds(20), Interval::picoseconds(2), Rate::femtoseconds_per_byte(5000)};
  p.poll = Interval::picoseconds(7);
  return p;
}

TEST(Network, OverheadsAreFixedPlusPerProcessPlusPerByte) {
  const Network n(example(), 3);
  EXPECT_EQ(n.send_overhead(0, 1, 10).picoseconds(), 10 + 3 * 1 + 10 * 3);
  EXPECT_EQ(n.receive_overhead(0, 1, 10).picoseconds(), 20 + 3 * 2 + 10 * 5);
  EXPECT_EQ(n.control_send(0, 1), n.send_overhead(0, 1, 1));
  EXPECT_EQ(n.control_receive(0, 1), n.receive_overhead(0, 1, 1));
}

TEST(Network, OverheadsGrowWithTheNumberOfProcesses) {
  const Network few(example(), 2), many(example(), 64);
  EXPECT_EQ((many.send_overhead(0, 1, 10) - few.send_overhead(0, 1, 10)).picoseconds(), 62 * 1);
  EXPECT_EQ((many.receive_overhead(0, 1, 10) - few.receive_overhead(0, 1, 10)).picoseconds(), 62 * 2);
  EXPECT_EQ(many.route(0, 1, 10, Instant()).occupancy, few.route(0, 1, 10, Instant()).occupancy);
  EXPECT_EQ(many.route(0, 1, 1, Instant()).latency, few.route(0, 1, 1, Instant()).latency);
}

TEST(Network, AnEmptyMessageIsOneByteOnTheWire) {
  Parameters p = example();
  const Network n(p, 3);
  EXPECT_EQ(n.send_overhead(0, 1, 0), n.send_overhead(0, 1, 1));
  EXPECT_EQ(n.receive_overhead(0, 1, 0), n.receive_overhead(0, 1, 1));
  EXPECT_EQ(n.route(0, 1, 0, Instant()).occupancy.picoseconds(), 0);
  p.eager_limit = 0;
  EXPECT_FALSE(Network(p, 3).eager(0, 1, 0));
}

TEST(Network, TheFirstByteOccupiesNothing) {
  const Network n(example(), 3);
  EXPECT_EQ(n.route(0, 1, 1, Instant()).occupancy.picoseconds(), 0);
  EXPECT_EQ(n.route(0, 1, 10, Instant()).occupancy.picoseconds(), 9 * 2);
}

TEST(Network, EagerUpToTheLimit) {
  Parameters p = example();
  EXPECT_TRUE(Network(p, 3).eager(0, 1, 100));
  EXPECT_FALSE(Network(p, 3).eager(0, 1, 101));
  p.always_eager = true;
  EXPECT_TRUE(Network(p, 3).eager(0, 1, Bytes{1} << 40));
}

TEST(Network, ACostIsRoundedOnceToTheNearestPicosecond) {
  Parameters p = example();
  p.send = {Interval(), Interval(), Rate::femtoseconds_per_byte(300)};
  const Network n(p, 3);
  EXPECT_EQ(n.send_overhead(0, 1, 1).picoseconds(), 0);   // 0.3
  EXPECT_EQ(n.send_overhead(0, 1, 5).picoseconds(), 2);   // 1.5
  EXPECT_EQ(n.send_overhead(0, 1, 10).picoseconds(), 3);  // ten roundings of 0.3 would give 0
}

TEST(Network, LongMessagesDoNotOverflow) {
  Parameters p = example();
  p.send = {Interval(), Interval(), Rate::femtoseconds_per_byte(70'800'000)};  // 0.0708 us
  EXPECT_EQ(Network(p, 3).send_overhead(0, 1, Bytes{1} << 36).picoseconds(),
            (std::int64_t{1} << 36) * 70'800);
}

// A cost beyond the longest interval becomes the longest interval; numbers never overflow.
TEST(Network, CostsBeyondAllTime) {
  const Interval hour = Interval::seconds(3600), longest = Interval::longest();
  const auto most = Rate::femtoseconds_per_byte(1'000'000'000'000);  // 1 ms
  Parameters p = example();
  p.send = {hour, hour, most};
  EXPECT_EQ(Network(p, 5'000).send_overhead(0, 1, Bytes{1} << 62), longest);
  p.send = {hour, hour, Rate()};
  EXPECT_EQ(Network(p, 1'000).send_overhead(0, 1, 1), hour * 1001);
  EXPECT_EQ(Network(p, 1'300).send_overhead(0, 1, 1), longest);
  EXPECT_EQ(Network(p, 10'000'000 / 1'000).send_overhead(0, 1, 1), longest);
  p = example();
  p.gap_per_byte = most;
  EXPECT_EQ(Network(p, 2).route(0, 1, Bytes{1} << 32, Instant()).occupancy.picoseconds(),
            ((std::int64_t{1} << 32) - 1) * 1'000'000'000);
  EXPECT_EQ(Network(p, 2).route(0, 1, Bytes{1} << 33, Instant()).occupancy, longest);
  p.eager_limit = 0;
  EXPECT_EQ(Network(p, 2).one_way(0, 1, Bytes{1} << 62), longest);
  p.medium = Medium::grid;
  p.latency = hour;
  EXPECT_EQ(Network(p, 1'282).route(0, 1'280, 1, Instant()).latency, hour * 1280);
  EXPECT_EQ(Network(p, 1'300).route(0, 1'299, 1, Instant()).latency, longest);
}

TEST(Network, ChangesBeyondAllTime) {
  Parameters p = example();
  p.latency = Interval::seconds(3600);
  p.gap_per_byte = Rate::femtoseconds_per_byte(1'000'000'000'000);
  const auto route = [&](std::int64_t latency, std::int64_t bandwidth, Bytes k) {
    Topology t = Topology::uniform(p, 2);
    t.between[0].changes = {{Instant(), Instant::never(), latency, bandwidth}};
    return Network(p, t).route(0, 1, k, Instant());
  };
  const std::int64_t one = 1'000'000'000;
  EXPECT_EQ(route(1'281 * one, one, 1).latency, Interval::seconds(3600) * 1281);
  EXPECT_EQ(route(1'282 * one, one, 1).latency, Interval::longest());
  EXPECT_EQ(route(1'000'000 * one, one, 1).latency, Interval::longest());
  // 1 ms a byte at a billionth of the speed: 10^6 s for each byte after the first.
  EXPECT_EQ(route(one, 1, 1).occupancy, Interval());
  EXPECT_EQ(route(one, 1, 5).occupancy, Interval::seconds(4e6));
  EXPECT_EQ(route(one, 1, 6).occupancy, Interval::longest());
  EXPECT_EQ(route(one, 1, Bytes{1} << 62).occupancy, Interval::longest());
}

TEST(Network, LookaheadIsTheCheapestMessageAndNeverNothing) {
  EXPECT_EQ(Network(example(), 3).lookahead().picoseconds(), 13 + 3 + 1000);
  const Network nothing(Parameters{}, 3);
  EXPECT_EQ(nothing.lookahead().picoseconds(), 1);
  EXPECT_EQ(nothing.route(0, 1, 1, Instant()).latency.picoseconds(), 1);
  Parameters p;
  p.send.fixed = Interval::picoseconds(1);  // an overhead alone is lookahead enough
  EXPECT_EQ(Network(p, 3).route(0, 1, 1, Instant()).latency.picoseconds(), 0);
  EXPECT_EQ(Network(p, 3).lookahead().picoseconds(), 1);
}

TEST(Network, MessagesToOneselfThatPassCardsOrTheBusCount) {
  Parameters p = example();
  Topology topology = Topology::uniform(p, 3);
  topology.inside[0].latency = Interval::picoseconds(100);
  EXPECT_EQ(Network(p, topology).lookahead().picoseconds(), 13 + 3 + 1000);
  p.card = Card::serial;
  EXPECT_EQ(Network(p, topology).lookahead().picoseconds(), 13 + 3 + 100);
  p.card = Card::free;
  p.medium = Medium::bus;
  EXPECT_EQ(Network(p, topology).lookahead().picoseconds(), 13 + 3 + 100);
  topology.inside[0].card = false;
  EXPECT_EQ(Network(p, topology).lookahead().picoseconds(), 13 + 3 + 1000);
}

// Groups a, b, c of one node each: 5 from a to b and back, 7 from b to c and back, 50 from a to c, 40 back.
TEST(Network, LookaheadsOfPairsAndOfChains) {
  const auto link = [](std::int64_t latency) { return Link{Interval::picoseconds(latency), {}, {}, {}}; };
  Topology t;
  t.ranks = {{0, 0}, {1, 1}, {2, 2}};
  t.groups = 3;
  t.between = {link(1), link(5), link(50), link(5), link(1), link(7), link(40), link(7), link(1)};
  t.inside = {link(1), link(1), link(1)};
  Parameters p;
  const Network n(p, t);
  EXPECT_EQ(n.lookahead().picoseconds(), 5);
  const std::vector<Lookahead> to_a = n.lookaheads(0), to_b = n.lookaheads(1), to_c = n.lookaheads(2);
  const auto is = [](const Lookahead& l, std::int64_t message, std::int64_t chain) {
    return l.message.picoseconds() == message && l.chain.picoseconds() == chain;
  };
  EXPECT_TRUE(is(to_a[1], 5, 5 + 5 + 5)) << "there and back and there again";
  EXPECT_TRUE(is(to_a[2], 40, 7 + 5));
  EXPECT_TRUE(is(to_b[0], 5, 5 + 5 + 5));
  EXPECT_TRUE(is(to_c[0], 50, 5 + 7));
  EXPECT_TRUE(is(to_c[1], 7, 5 + 5 + 7));
  t.ranks.push_back({1, 1});  // now the link inside b counts
  EXPECT_EQ(Network(p, t).lookahead().picoseconds(), 1);
  EXPECT_TRUE(is(Network(p, t).lookaheads(0)[1], 5, 1 + 5));
  EXPECT_TRUE(is(Network(p, t).lookaheads(2)[0], 50, 5 + 7));
  p.medium = Medium::bus;  // a message from 0 to 1 may delay one to rank 2
  EXPECT_TRUE(is(Network(p, t).lookaheads(2)[0], 1, 2));
}

TEST(Network, OneWayWithAndWithoutHandshake) {
  const Network n(example(), 3);
  const auto o_s = [](std::int64_t k) { return 13 + 3 * k; };
  const auto o_r = [](std::int64_t k) { return 26 + 5 * k; };
  EXPECT_EQ(n.one_way(0, 1, 10).picoseconds(), o_s(10) + 1000 + 9 * 2 + o_r(10));
  EXPECT_EQ(n.one_way(0, 1, 101).picoseconds(),
            o_s(1) + 1000 + o_r(1) + o_s(1) + 1000 + o_r(1) + o_s(101) + 1000 + 100 * 2 + o_r(101));
}

TEST(Network, ASendMayLastUntilItsLastByteHasLeft) {
  Parameters p = example();
  for (const std::int64_t gap : {2, 3, 7}) {  // a byte of o_s takes 3
    p.gap_per_byte = Rate::femtoseconds_per_byte(gap * 1000);
    p.send_returns = SendReturns::copied;
    const Network copied(p, 3);
    EXPECT_FALSE(copied.any_sends_whole());
    EXPECT_EQ(copied.passage(0, 1, 10).send.picoseconds(), 13 + 3 * 10);
    EXPECT_EQ(copied.passage(0, 1, 10).flight.picoseconds(), 1000 + 9 * gap);
    p.send_returns = SendReturns::sent;
    const Network sent(p, 3);
    EXPECT_TRUE(sent.any_sends_whole() && sent.sends_whole(0, 1));
    EXPECT_EQ(sent.passage(0, 1, 10).send.picoseconds(), 13 + 3 + 9 * std::max<std::int64_t>(3, gap));
    EXPECT_EQ(sent.passage(0, 1, 10).flight.picoseconds(), 1000);
    EXPECT_EQ(sent.one_way(0, 1, 10).picoseconds(),
              13 + 3 + 9 * std::max<std::int64_t>(3, gap) + 1000 + 26 + 5 * 10);
    EXPECT_EQ(sent.one_way(0, 1, 1), copied.one_way(0, 1, 1));
    EXPECT_EQ(sent.lookahead(), copied.lookahead());
  }
}

TEST(Network, AReadTakesTheTripsOfItsHandshakeAndOneWayOfTheData) {
  Parameters p = example();
  p.rendezvous = Rendezvous::get;
  for (const int trips : {2, 4}) {
    p.handshake_trips = trips;
    const Network n(p, 3);
    EXPECT_TRUE(n.gets(0, 1, 1));
    EXPECT_TRUE(n.any_gets());
    Instant arrives;
    const Route route = n.reading(0, 1, 101, Instant::from_picoseconds(7), arrives);
    EXPECT_EQ(arrives.picoseconds(), 7 + (trips - 1) * 1000);
    EXPECT_EQ(route.latency.picoseconds(), trips * 1000);
    EXPECT_EQ(route.latencies, trips);
    EXPECT_EQ(route.occupancy.picoseconds(), 100 * 2);
    const std::int64_t c_s = 13 + 3, c_r = 26 + 5, o_s = 13 + 3 * 101, o_r = 26 + 5 * 101;
    EXPECT_EQ(n.one_way(0, 1, 101).picoseconds(), c_s + 1000 + c_r + o_s + trips * 1000 + 100 * 2 + o_r);
  }
  EXPECT_FALSE(Network(example(), 3).any_gets());
}

TEST(Network, HandshakesUpToALimitSendTheirData) {
  Parameters p = example();
  const Network put(p, 3);
  p.rendezvous = Rendezvous::get;
  const Network get(p, 3);
  p.put_limit = 150;
  const Network both(p, 3);
  EXPECT_FALSE(both.gets(0, 1, 150));
  EXPECT_TRUE(both.gets(0, 1, 151));
  EXPECT_EQ(both.one_way(0, 1, 150), put.one_way(0, 1, 150));
  EXPECT_EQ(both.one_way(0, 1, 151), get.one_way(0, 1, 151));
  EXPECT_LT(get.one_way(0, 1, 151), put.one_way(0, 1, 151));
}

TEST(Network, FurtherTripsOfAHandshakeTakeOneLatencyEach) {
  Parameters p = example();
  const Network two(p, 3);
  p.handshake_trips = 5;
  const Network five(p, 3);
  EXPECT_EQ(two.further_trips(two.route(1, 0, 1, Instant())).picoseconds(), 0);
  EXPECT_EQ(five.further_trips(five.route(1, 0, 1, Instant())).picoseconds(), 3 * 1000);
  EXPECT_EQ(five.further_latencies(five.route(1, 0, 1, Instant())), 3);
  EXPECT_EQ((five.one_way(0, 1, 101) - two.one_way(0, 1, 101)).picoseconds(), 3 * 1000);
  EXPECT_EQ(five.one_way(0, 1, 100), two.one_way(0, 1, 100));
}

TEST(Network, APollCostsSomething) {
  EXPECT_EQ(Network(example(), 3).poll().picoseconds(), 7);
  EXPECT_EQ(Network(Parameters{}, 3).poll().picoseconds(), 1);
}

}  // namespace
TEST(Network, ARouteNamesWhatMessagesPassOneAfterAnother) {
  Parameters p = example();
  const auto resources = [&] {
    const Network n(p, 3);
    const auto found = n.route(0, 1, 10, Instant()).resources;
    return std::vector<Resource>(found.begin(), found.end());
  };
  EXPECT_EQ(resources(), std::vector<Resource>{});
  p.card = Card::serial;
  EXPECT_EQ(resources(), (std::vector{Resource::sending_card, Resource::receiving_card}));
  p.card = Card::free;
  p.medium = Medium::bus;
  EXPECT_EQ(resources(), std::vector{Resource::bus});
  const Network n(p, 3);
  ASSERT_EQ(n.resources().count(), 1);
  EXPECT_EQ(n.resources().name(Resources::bus), "bus");
  EXPECT_EQ(n.resources().share(Resources::bus), Share::fifo) << "whatever share cards and memory have";
  EXPECT_FALSE(n.route(0, 1, 10, Instant()).contended) << "by other resources";
  Topology topology = Topology::uniform(p, 2);
  topology.between[0].card = false;
  EXPECT_TRUE(Network(p, topology).route(0, 1, 10, Instant()).resources.empty());
}

}  // namespace emu::model
