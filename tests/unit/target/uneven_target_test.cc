// Targets whose nodes, places and links differ.
#include <gtest/gtest.h>

#include <algorithm>

#include "target/target.h"

namespace emu::target {
namespace {

// 13 lines.
const std::string head = R"(name = "uneven"
compute = "declared"
[network]
latency = "50us"
gap_per_byte = "1us"
eager_limit = "64KiB"
send = { fixed = "3us", per_process = "0us", per_byte = "0us" }
receive = { fixed = "4us", per_process = "0us", per_byte = "0us" }
[[node]]
name = "fast"
count = 2
slots = 2
speed = 4.0
)";
const std::string groups = head + R"([[node]]
name = "slow"
count = 3
speed = 0.5
[[node]]
count = 1
slots = 3
)";  // 7 lines more; nodes 0 1 | 2 3 4 | 5

Target good(const std::string& more) {
  auto t = parse(groups + more, "x.toml");
  EXPECT_TRUE(t) << t.error().message;
  return t ? *t : Target();
}

void expect_error(const std::string& text, const std::string& start) {
  const auto t = parse(text, "x.toml");
  ASSERT_FALSE(t) << "expected: " << start;
  EXPECT_EQ(t.error().message.substr(0, start.size()), start);
  EXPECT_EQ(t.error().message.find('\n'), std::string::npos)
      << "one mistake, one line: " << t.error().message;
}

TEST(Placement, BlockFillsNodeAfterNode) {
  EXPECT_EQ(good("").place(9), (std::vector<int>{0, 0, 1, 1, 2, 3, 4, 5, 5}));
  EXPECT_EQ(good("[placement]\npolicy = \"block\"").place(3), (std::vector<int>{0, 0, 1}));
}

TEST(Placement, CyclicGoesRoundTheNodesWithSlotsLeft) {
  EXPECT_EQ(good("[placement]\npolicy = \"cyclic\"").place(10),
            (std::vector<int>{0, 1, 2, 3, 4, 5, 0, 1, 5, 5}));
}

TEST(Placement, RanksOnANode) {
  for (const std::string policy : {"\"block\"", "\"cyclic\"", "[5, 0, 5, 3, 0, 2, 5, 1, 1]"}) {
    const Target t = good("[placement]\npolicy = " + policy);
    for (int ranks = 1; ranks <= t.slots(); ++ranks) {
      const auto place = t.place(ranks);
      for (int node = 0; node < t.node_count(); ++node)
        EXPECT_EQ(t.ranks_on(node, ranks), std::count(place.begin(), place.end(), node))
            << policy << ", node " << node << ", " << ranks << " ranks";
    }
  }
}

TEST(Speeds, DependOnTheRanksOfTheNode) {
  const std::string group = "[[node]]\ncount = 2\nslots = 3\nspeed = 2.0\nspeed_with = [1, 0.75, 0.5]\n";
  const std::string half = "[[event]]\nnode = 6\nat = \"1s\"\nspeed = 0.5\n";  // nodes 6 and 7
  const Target t = good(group + half);
  const auto speed = [&](int node, int ranks, int seconds = 0) {
    return t.speed(node, ranks).at(Instant::start() + Interval::seconds(seconds));
  };
  EXPECT_EQ(speed(6, 11), 2 * model::one);  // alone on its node: ten ranks are on the preceding nodes
  EXPECT_EQ(speed(6, 12), model::one * 3 / 2);
  EXPECT_EQ(speed(6, 13), model::one);
  EXPECT_EQ(speed(6, 13, 1), model::one / 2);
  EXPECT_EQ(speed(7, 14), 2 * model::one);
  EXPECT_EQ(speed(7, 16, 1), model::one);
  EXPECT_EQ(speed(0, 16), 4 * model::one);  // a group without a speed
  EXPECT_EQ(t.usual_speed(7, 15).at(Instant()), model::one * 3 / 2);
  EXPECT_DOUBLE_EQ(t.nominal_speed(7, 15), 1.5);
  const auto wrong = [&](const std::string& value, const std::string& what) {
    expect_error(groups + "[[node]]\ncount = 2\nslots = 3\nspeed_with = " + value + "\n",
                 "x.toml:24: node.speed_with: " + what);
  };
  const std::string right = "3, for 1 to 3 ranks on the node, such as [1.0, 0.95, ...])";
  wrong("0.9", "invalid value (expected a list of " + right);
  wrong("[1, 0.9]", "invalid number of factors: 2 (expected " + right);
  wrong("[1, 0.9, 0]", "invalid entry 2 (expected a number from 0.000001 to 1000000, such as 0.95)");
  wrong("[1, \"0.9\", 0.8]", "invalid entry 1 (expected a number from 0.000001 to 1000000, such as 0.95)");
}

TEST(Placement, AListSaysItRankByRank) {
  const Target t = good("[placement]\npolicy = [5, 0, 5]");
  EXPECT_EQ(t.place(3), (std::vector<int>{5, 0, 5}));
  EXPECT_EQ(t.place(2), (std::vector<int>{5, 0}));
  EXPECT_EQ(t.slots(), 3);
  ASSERT_FALSE(fits(t, 4, "x.toml"));
  EXPECT_EQ(
      fits(t, 4, "x.toml").error().message,
      "x.toml:22: placement.policy: 4 ranks are more than the 3 nodes that it lists (expected at most 3, "
      "or a node for each rank)");
}

TEST(Placement, Mistakes) {
  const std::string table = groups + "[placement]\npolicy = ";
  expect_error(table + "[0, 6]",
               "x.toml:22: placement.policy: invalid entry 1: node 6 (expected a node from 0 to 5)");
  expect_error(table + "[0, \"a\"]", "x.toml:22: placement.policy: invalid entry 1 (expected a node ");
  expect_error(table + "[2, 0, 2]",
               "x.toml:22: placement.policy: invalid entry 2: node 2 (expected at most 1 times, its slots)");
  expect_error(table + "[]", "x.toml:22: placement.policy: invalid value: an empty list (expected ");
  expect_error(table + "\"random\"",
               "x.toml:22: placement.policy: unknown value: \"random\" (expected \"block\" or \"cyclic\")");
  expect_error(head + "[[node]]\nname = \"fast\"\ncount = 1\n",
               "x.toml:15: node.name: duplicate name of a group: \"fast\"");
  expect_error(head + "[[node]]\nname = \"all\"\ncount = 1\n",
               "x.toml:15: node.name: invalid name: \"all\" (reserved; expected a name such as \"fast\")");
  expect_error(head + "[[node]]\nname = \"0-3\"\ncount = 1\n",
               "x.toml:15: node.name: invalid name: \"0-3\" (reserved; expected a name such as \"fast\")");
}

// Ranks 0 to 8 by blocks: 0 1 | 2 3 on the fast nodes, 4 5 6 on the slow ones, 7 8 on the third group's.
std::int64_t latency_us(const Target& t, int from, int to) {
  return model::Network(t.network, t.topology(9)).route(from, to, 1, Instant()).latency.picoseconds() /
         1'000'000;
}

TEST(Links, WithoutAnyAllAreAlike) {
  const Target t = good("");
  for (int from = 0; from < 9; ++from)
    for (int to = 0; to < 9; ++to) EXPECT_EQ(latency_us(t, from, to), 50);
}

TEST(Links, OneBetweenTwoGroupsIsForBothDirections) {
  const Target t = good("[[link]]\nfrom = \"fast\"\nto = \"slow\"\nlatency = \"7us\"\n");
  EXPECT_EQ(latency_us(t, 0, 4), 7);
  EXPECT_EQ(latency_us(t, 4, 0), 7);
  EXPECT_EQ(latency_us(t, 0, 2), 50);
  EXPECT_EQ(latency_us(t, 0, 7), 50);
  EXPECT_EQ(latency_us(t, 4, 5), 50);
}

TEST(Links, UnlessTheOtherIsStated) {
  const Target t = good(
      "[[link]]\nfrom = \"slow\"\nto = \"fast\"\nlatency = \"8us\"\n"
      "[[link]]\nfrom = \"fast\"\nto = \"slow\"\nlatency = \"7us\"\n");
  EXPECT_EQ(latency_us(t, 0, 4), 7);
  EXPECT_EQ(latency_us(t, 4, 0), 8);
}

TEST(Links, WhatIsNamedCountsMoreThanAll) {
  const Target t = good(
      "[[link]]\nfrom = \"fast\"\nto = \"slow\"\nlatency = \"7us\"\n"
      "[[link]]\nfrom = \"fast\"\nto = \"all\"\nlatency = \"9us\"\n"
      "[[link]]\nfrom = \"all\"\nto = \"all\"\nlatency = \"10us\"\n");
  EXPECT_EQ(latency_us(t, 0, 4), 7);
  EXPECT_EQ(latency_us(t, 4, 0), 7);
  EXPECT_EQ(latency_us(t, 0, 2), 9);
  EXPECT_EQ(latency_us(t, 0, 7), 9);
  EXPECT_EQ(latency_us(t, 7, 0), 9);
  EXPECT_EQ(latency_us(t, 4, 7), 10);
}

TEST(Links, InsideANode) {
  const Target t = good("[[link]]\ninside = \"all\"\nlatency = \"1us\"\ngap_per_byte = \"0us\"\n");
  EXPECT_EQ(latency_us(t, 0, 1), 1);
  EXPECT_EQ(latency_us(t, 0, 2), 50);
  EXPECT_EQ(latency_us(t, 7, 8), 1);
  EXPECT_EQ(latency_us(t, 4, 4), 1);
}

// Without a link between nodes of its own, messages inside a node use the link between nodes of the group.
TEST(Links, InsideANodeUnlessStatedAsBetweenItsLikes) {
  const Target t = good("[[link]]\nfrom = \"fast\"\nto = \"fast\"\nlatency = \"6us\"\n");
  EXPECT_EQ(latency_us(t, 0, 1), 6);
  EXPECT_EQ(latency_us(t, 0, 2), 6);
}

TEST(Links, WhatIsNotStatedIsAsInTheNetwork) {
  const Target t =
      good("[[link]]\nfrom = \"fast\"\nto = \"slow\"\nlatency = \"7us\"\n[link.send]\nfixed = \"5us\"\n");
  const model::Network n(t.network, t.topology(9));
  EXPECT_EQ(n.send_overhead(0, 4, 10).picoseconds(), 5'000'000);
  EXPECT_EQ(n.send_overhead(0, 2, 10).picoseconds(), 3'000'000);
  EXPECT_EQ(n.receive_overhead(0, 4, 10).picoseconds(), 4'000'000);
  EXPECT_EQ(n.route(0, 4, 11, Instant()).occupancy.picoseconds(), 10'000'000);
}

// The minimum over the pairs in the job, not over all pairs of the file.
TEST(Links, LookaheadIsThatOfTheLeastPairInTheJob) {
  const Target t = good(
      "[[link]]\ninside = \"all\"\nlatency = \"1us\"\n"
      "[[link]]\nfrom = \"slow\"\nto = \"slow\"\nlatency = \"20us\"\n[link.send]\nfixed = \"0us\"\n"
      "[placement]\npolicy = [0, 2, 3, 1, 1]");
  const auto lookahead_us = [&](int ranks) {
    return model::Network(t.network, t.topology(ranks)).lookahead().picoseconds() / 1'000'000;
  };
  EXPECT_EQ(lookahead_us(2), 53);
  EXPECT_EQ(lookahead_us(3), 20);
  EXPECT_EQ(lookahead_us(4), 20);
  EXPECT_EQ(lookahead_us(5), 4);
}

TEST(Links, TheCardIsForMessagesBetweenNodes) {
  const auto text = [](const std::string& more) {
    std::string file = groups + more;
    return file.insert(file.find("eager_limit"), "card = \"serial\"\n");
  };
  const auto plain = parse(text(""), "x.toml"),
             memory = parse(text("[[link]]\ninside = \"fast\"\n"), "x.toml");
  ASSERT_TRUE(plain && memory);
  EXPECT_TRUE(model::Network(plain->network, plain->topology(9))
                  .route(0, 1, 1, Instant())
                  .passes(model::Resource::sending_card));
  const model::Network n(memory->network, memory->topology(9));
  EXPECT_FALSE(n.route(0, 1, 1, Instant()).passes(model::Resource::sending_card));
  EXPECT_TRUE(n.route(0, 2, 1, Instant()).passes(model::Resource::sending_card));
  EXPECT_TRUE(n.route(7, 8, 1, Instant()).passes(model::Resource::sending_card));
}

// A target with the groups, a line in [network], and more tables.
std::string with_key(const std::string& line, const std::string& more) {
  std::string file = groups + more;
  return file.insert(file.find("eager_limit"), line);
}

TEST(Links, HandshakesOfALinkAreReadOrSent) {
  const auto t = parse(
      with_key("rendezvous = \"get\"\n", "[[link]]\nfrom = \"fast\"\nto = \"slow\"\nrendezvous = \"put\"\n"),
      "x.toml");
  ASSERT_TRUE(t);
  const model::Network n(t->network, t->topology(9));
  EXPECT_FALSE(n.gets(0, 4, 1) || n.gets(4, 0, 1));
  EXPECT_TRUE(n.gets(0, 2, 1) && n.gets(0, 1, 1));
  const std::string serial = "card = \"serial\"\n";
  const auto inside =
      parse(with_key(serial, "[[link]]\ninside = \"fast\"\nrendezvous = \"get\"\n"), "x.toml");
  ASSERT_TRUE(inside);
  EXPECT_TRUE(model::Network(inside->network, inside->topology(9)).gets(0, 1, 1));
  const auto limited = parse(with_key("rendezvous = \"get\"\nput_limit = \"9KiB\"\n",
                                      "[[link]]\ninside = \"all\"\nput_limit = \"0B\"\n"),
                             "x.toml");
  ASSERT_TRUE(limited);
  const model::Network both(limited->network, limited->topology(9));
  EXPECT_TRUE(both.gets(0, 1, 1) && both.gets(0, 4, 9217));
  EXPECT_FALSE(both.gets(0, 4, 9216));
  expect_error(with_key("", "[[link]]\ninside = \"all\"\nput_limit = \"9KiB\"\n"),
               "x.toml:23: link.put_limit: needs rendezvous = \"get\"");
  expect_error(with_key("rendezvous = \"get\"\n",
                        "[[link]]\ninside = \"all\"\nrendezvous = \"put\"\nput_limit = \"9KiB\"\n"),
               "x.toml:25: link.put_limit: needs rendezvous = \"get\"");
  expect_error(with_key(serial, "[[link]]\nfrom = \"fast\"\nto = \"slow\"\nrendezvous = \"get\"\n"),
               "x.toml:25: link.rendezvous: invalid protocol: \"get\" (expected \"put\", or card = \"free\" "
               "or \"node\"");
}

TEST(Links, SendsOnALinkHaveTheirOwnEnd) {
  const auto t = parse(with_key("send_returns = \"sent\"\n",
                                "[[link]]\nfrom = \"fast\"\nto = \"slow\"\nsend_returns = \"copied\"\n"),
                       "x.toml");
  ASSERT_TRUE(t);
  const model::Network n(t->network, t->topology(9));
  EXPECT_FALSE(n.sends_whole(0, 4) || n.sends_whole(4, 0));
  EXPECT_TRUE(n.sends_whole(0, 2) && n.sends_whole(0, 1));
  const std::string serial = "card = \"serial\"\n";
  const auto inside =
      parse(with_key(serial, "[[link]]\ninside = \"fast\"\nsend_returns = \"sent\"\n"), "x.toml");
  ASSERT_TRUE(inside);
  EXPECT_TRUE(model::Network(inside->network, inside->topology(9)).sends_whole(0, 1));
  expect_error(with_key(serial, "[[link]]\nfrom = \"fast\"\nto = \"slow\"\nsend_returns = \"sent\"\n"),
               "x.toml:25: link.send_returns: \"sent\" needs card = \"free\"");
}

TEST(Links, Mistakes) {
  const std::string link = groups + "[[link]]\n";
  expect_error(
      link + "from = \"fast\"\nto = \"slo\"\n",
      "x.toml:23: link.to: unknown group of nodes: \"slo\" (expected \"fast\", \"slow\", or \"all\")");
  expect_error(link + "from = \"fast\"\n", "x.toml:21: link.to: missing (expected such as to = \"fast\")");
  expect_error(link + "inside = \"fast\"\nto = \"slow\"\n",
               "x.toml:22: link.inside: inside excludes from and to (expected ");
  expect_error(
      link + "from = \"fast\"\nto = \"slow\"\n[[link]]\nfrom = \"fast\"\nto = \"slow\"\nlatency = \"1us\"\n",
      "x.toml:24: link: duplicate link from \"fast\" to \"slow\" (expected one [[link]], or one for just "
      "this pair)");
  expect_error(link + "from = \"fast\"\nto = \"slow\"\nlatency = \"1\"\n",
               "x.toml:24: link.latency: no unit: \"1\"");
  expect_error(link + "from = \"fast\"\nto = \"slow\"\ngap = \"1us\"\n",
               "x.toml:24: link.gap: unknown key (");
  expect_error(groups + "link = 3\n", "x.toml:21: node.link: unknown key (");
}

}  // namespace
}  // namespace emu::target
