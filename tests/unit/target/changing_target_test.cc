// Targets whose nodes change speed.
#include <gtest/gtest.h>

#include "target/availability.h"
#include "target/target.h"

namespace emu::target {
namespace {

// 13 lines; nodes 0 to 3, speed 2, and 4 to 9.
const std::string head = R"(name = "changing"
[network]
latency = "50us"
gap_per_byte = "1us"
eager_limit = "64KiB"
send = { fixed = "3us", per_process = "0us", per_byte = "0us" }
receive = { fixed = "4us", per_process = "0us", per_byte = "0us" }
[[node]]
name = "fast"
count = 4
speed = 2.0
[[node]]
count = 6
)";

const std::map<std::string, std::string> files = {
    {"a", "0 0.5\n10 0.25\n"}, {"bad", "0 1\n# x\n0 2\n"}, {"zero", "0 0\n1 0\nLOOPAFTER 1\n"}};

Result<Target> parsed(const std::string& more) { return parse(Sources{head + more, files}, "x.toml"); }

void expect_error(const std::string& more, const std::string& start) {
  const auto t = parsed(more);
  ASSERT_FALSE(t) << "expected: " << start;
  EXPECT_EQ(t.error().message.substr(0, start.size()), start);
  EXPECT_EQ(t.error().message.find('\n'), std::string::npos)
      << "one mistake, one line: " << t.error().message;
}

std::int64_t speed(const Result<Target>& t, int node, double seconds) {
  return t->speed(node, t->slots()).at(Instant::start() + Interval::seconds(seconds));
}

std::string event(const std::string& keys) { return "[[event]]\n" + keys + "\n"; }

TEST(Events, ChangeSpeedsForATime) {
  const auto t = parsed(event("node = 5\nat = \"3s\"\nuntil = \"8s\"\nspeed = 0.25") +
                        event("node = \"fast\"\nat = \"1s\"\nspeed = 0.5") +
                        event("node = [0, 9]\nat = \"0s\"\nuntil = \"500ms\"\nspeed = 0"));
  ASSERT_TRUE(t) << t.error().message;
  EXPECT_EQ(speed(t, 5, 2.999), model::one);
  EXPECT_EQ(speed(t, 5, 3), model::one / 4);
  EXPECT_EQ(speed(t, 5, 7.999), model::one / 4);
  EXPECT_EQ(speed(t, 5, 8), model::one);
  for (int node = 0; node < 4; ++node) {
    EXPECT_EQ(speed(t, node, 0.9), 2 * model::one);
    EXPECT_EQ(speed(t, node, 1e5), model::one);
  }
  EXPECT_EQ(speed(t, 0, 0.4), 0);
  EXPECT_EQ(speed(t, 9, 0.4), 0);
  EXPECT_EQ(speed(t, 4, 3.5), model::one);
}

TEST(Events, RangesAndAll) {
  const auto t = parsed(event("node = \"2-5\"\nat = \"0s\"\nspeed = 0.5"));
  ASSERT_TRUE(t) << t.error().message;
  for (int node = 0; node < 10; ++node)
    EXPECT_EQ(speed(t, node, 1), (node < 4 ? 2 : 1) * model::one / (node >= 2 && node <= 5 ? 2 : 1));
  const auto all = parsed(event("node = \"all\"\nat = \"0s\"\nspeed = 0.5"));
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(speed(all, 9, 1), model::one / 2);
}

TEST(Events, Mistakes) {
  expect_error(event("node = 10\nat = \"0s\"\nspeed = 1"),
               "x.toml:15: event.node: invalid node: 10 (expected 0 to 9)");
  expect_error(event("node = -1\nat = \"0s\"\nspeed = 1"), "x.toml:15: event.node: invalid node: -1");
  expect_error(event("node = [1, 1.5]\nat = \"0s\"\nspeed = 1"),
               "x.toml:15: event.node: invalid node (expected ");
  expect_error(event("node = []\nat = \"0s\"\nspeed = 1"),
               "x.toml:15: event.node: invalid value: an empty list");
  expect_error(event("node = \"slow\"\nat = \"0s\"\nspeed = 1"),
               "x.toml:15: event.node: unknown group of nodes: \"slow\" (expected ");
  expect_error(event("node = \"5-10\"\nat = \"0s\"\nspeed = 1"),
               "x.toml:15: event.node: invalid range of nodes: \"5-10\" (expected nodes from 0 to 9)");
  expect_error(event("node = 1\nat = \"-1s\"\nspeed = 1"), "x.toml:16: event.at: negative value: \"-1s\"");
  expect_error(event("node = 1\nat = \"1100h\"\nspeed = 1"),
               "x.toml:16: event.at: too large: \"1100h\" (expected at most 1000h)");
  expect_error(event("node = 1\nat = \"2000h\"\nspeed = 1"),
               "x.toml:16: event.at: too large: \"2000h\" (expected at most 1000h)");
  expect_error(event("node = 1\nspeed = 1"), "x.toml:14: event.at: missing");
  expect_error(event("node = 1\nat = \"1s\""), "x.toml:14: event.speed: missing");
  expect_error(event("node = 1\nat = \"1s\"\nspeed = -0.5"),
               "x.toml:17: event.speed: invalid factor: -0.5 (expected a number ");
  expect_error(event("node = 1\nat = \"1s\"\nuntil = \"1s\"\nspeed = 1"),
               "x.toml:17: event.until: too early (expected after the event begins, 1 s)");
}

// Without an error, keys that do not belong to the kind would be ignored.
TEST(Events, HaveTheKeysOfTheirKind) {
  const std::string nodes = " invalid for an event of a link (expected for events of nodes)";
  const std::string links = " invalid without link (expected for events of a link)";
  expect_error(event("link = \"all\"\nnode = 1\nat = \"1s\"\nlatency = 2"), "x.toml:16: event.node:" + nodes);
  expect_error(event("link = \"all\"\nkind = \"fail\"\nat = \"1s\"\nlatency = 2"),
               "x.toml:16: event.kind:" + nodes);
  expect_error(event("link = \"all\"\nspeed = 0.5\nat = \"1s\"\nlatency = 2"),
               "x.toml:16: event.speed:" + nodes);
  expect_error(event("node = 1\nat = \"1s\"\nspeed = 1\nlatency = 2"), "x.toml:18: event.latency:" + links);
  expect_error(event("node = 1\nat = \"1s\"\nspeed = 1\nbandwidth = 2"),
               "x.toml:18: event.bandwidth:" + links);
  expect_error(event("kind = \"fail\"\nnode = 1\nat = \"1s\"\nlatency = 2"),
               "x.toml:18: event.latency:" + links);
}

// The load or availability of a node named twice would count twice.
TEST(Events, ANodeIsNamedOnce) {
  expect_error(event("node = [1, 2, 1]\nat = \"0s\"\nspeed = 0.5"),
               "x.toml:15: event.node: duplicate node: 1 (expected each node once)");
  expect_error("[[load]]\nnodes = [4, 4]\nmean = 0.5\nperiod = \"1s\"\n",
               "x.toml:15: load.nodes: duplicate node: 4 (expected each node once)");
}

// In TOML such a key belongs to the table above it.
TEST(Events, AKeyOfTheFileThatStandsBelowATable) {
  expect_error(
      event("node = 1\nat = \"0s\"\nspeed = 0.5\non_failure = \"error\""),
      "x.toml:18: event.on_failure: not a key of event (expected above the first table of the file)");
}

TEST(Events, ContradictIfTheyOverlap) {
  const std::string first = event("node = 1\nat = \"1s\"\nuntil = \"5s\"\nspeed = 0.5");
  expect_error(
      first + event("node = \"fast\"\nat = \"4.5s\"\nspeed = 0.25"),
      "x.toml:22: event.speed: node 1 has another speed by event 1 of the file, from 1 s to 5 s, and "
      "by this one, from 4.5 s (expected that one ends where the other begins)");
  EXPECT_TRUE(parsed(first + event("node = 1\nat = \"5s\"\nspeed = 0.25")));
  EXPECT_TRUE(parsed(first + event("node = 2\nat = \"4s\"\nspeed = 0.25")));
  EXPECT_TRUE(parsed(first + event("node = 1\nat = \"4s\"\nspeed = 0.5")));
}

TEST(Failures, OfNodes) {
  const auto t = parsed(event("kind = \"fail\"\nnode = 1\nat = \"1s\"") +
                        event("kind = \"fail\"\nnode = [2, 3]\nat = \"2s\"\nuntil = \"3s\"") +
                        event("kind = \"fail\"\nnode = 3\nat = \"5s\"") +
                        event("kind = \"recover\"\nnode = 3\nat = \"6s\"") +
                        event("kind = \"speed\"\nnode = 2\nat = \"0s\"\nspeed = 0.5"));
  ASSERT_TRUE(t) << t.error().message;
  const auto at = [](double s) { return Instant::start() + Interval::seconds(s); };
  EXPECT_EQ(t->outages_of(1).end(), at(1));
  EXPECT_TRUE(t->outages_of(0).list().empty());
  const model::Outages three = t->outages_of(3);
  ASSERT_EQ(three.list().size(), 2u);
  EXPECT_TRUE(three.end().is_never());
  EXPECT_FALSE(three.down(at(1.999)));
  EXPECT_TRUE(three.down(at(2)));
  EXPECT_TRUE(three.down(at(2.999)));
  EXPECT_FALSE(three.down(at(3)));
  EXPECT_TRUE(three.down(at(5.5)));
  EXPECT_EQ(speed(t, 2, 1), model::one);
  EXPECT_EQ(speed(t, 2, 2.5), 0);
  EXPECT_EQ(speed(t, 1, 100), 0);
}

TEST(StoppedNodes, OfNodesThatHaveRanksAndDoNotFail) {
  auto t = parsed(event("node = \"all\"\nat = \"2s\"\nspeed = 0") +
                  event("kind = \"fail\"\nnode = 1\nat = \"3s\"") +
                  event("kind = \"fail\"\nnode = 2\nat = \"1s\"\nuntil = \"4s\"") +
                  "[[availability]]\nnodes = 7\nfile = \"zero\"\n");
  ASSERT_TRUE(t) << t.error().message;
  const auto at = [](double s) { return Instant::start() + Interval::seconds(s); };
  using StoppedNodes = std::map<Instant, std::vector<int>>;
  EXPECT_EQ(t->stopped_nodes(10), (StoppedNodes{{at(0), {7}}, {at(1), {2}}, {at(2), {0, 3, 4, 5, 6, 8, 9}}}));
  EXPECT_EQ(t->stopped_nodes(3), (StoppedNodes{{at(1), {2}}, {at(2), {0}}}));
  t = parsed(event("node = \"all\"\nat = \"2s\"\nuntil = \"3s\"\nspeed = 0"));
  EXPECT_TRUE(t->stopped_nodes(10).empty());
}

TEST(Failures, Mistakes) {
  const std::string fail = event("kind = \"fail\"\nnode = 1\nat = \"1s\"");
  expect_error(
      event("kind = \"break\"\nnode = 1\nat = \"1s\""),
      "x.toml:15: event.kind: unknown value: \"break\" (expected \"speed\", \"fail\" or \"recover\")");
  expect_error(
      event("kind = \"recover\"\nnode = 1\nat = \"1s\""),
      "x.toml:15: event.kind: node 1 is not down at 1 s (expected an event of kind \"fail\" before)");
  expect_error(fail + event("kind = \"fail\"\nnode = \"all\"\nat = \"2s\""),
               "x.toml:19: event.kind: node 1 is down at 2 s already, by event 1 of the file");
  expect_error(event("kind = \"fail\"\nnode = 1\nat = \"1s\"\nspeed = 0"),
               "x.toml:18: event.speed: needs kind = \"speed\"");
  expect_error(event("kind = \"fail\"\nnode = 1\nat = \"1s\"\nuntil = \"1s\""),
               "x.toml:18: event.until: too early (expected after the event begins, 1 s)");
  expect_error("[on_failure]\n", "x.toml:14: on_failure: invalid value: a table (expected ");
}

TEST(LinkEvents, ChangeLatencyAndBandwidthForATime) {
  const auto t = parsed(event("link = [\"fast\", \"fast\"]\nat = \"1s\"\nuntil = \"2s\"\nlatency = 3") +
                        event("link = [\"all\", \"fast\"]\nat = \"5s\"\nbandwidth = 0.5"));
  ASSERT_TRUE(t) << t.error().message;
  const model::Network n(t->network, t->topology(10));
  const auto at = [](double s) { return Instant::start() + Interval::seconds(s); };
  EXPECT_EQ(n.route(0, 1, 1, at(0.999)).latency.picoseconds(), 50'000'000);
  EXPECT_EQ(n.route(0, 1, 1, at(1)).latency.picoseconds(), 150'000'000);
  EXPECT_EQ(n.route(0, 1, 1, at(2)).latency.picoseconds(), 50'000'000);
  EXPECT_EQ(n.route(0, 5, 1, at(1)).latency.picoseconds(), 50'000'000);
  EXPECT_EQ(n.route(0, 5, 11, at(4)).occupancy.picoseconds(), 10'000'000);
  EXPECT_EQ(n.route(0, 5, 11, at(5)).occupancy.picoseconds(), 20'000'000);
  EXPECT_EQ(n.route(5, 0, 11, at(5)).occupancy.picoseconds(), 20'000'000);
  EXPECT_EQ(n.route(5, 6, 11, at(5)).occupancy.picoseconds(), 10'000'000);
}

TEST(LinkEvents, TheSlowestRouteIsThatOfTheWorstTime) {
  const auto t = parsed(event("link = \"all\"\nat = \"0s\"\nuntil = \"2s\"\nlatency = 0.5") +
                        event("link = [\"fast\", \"fast\"]\nat = \"5s\"\nlatency = 3"));
  ASSERT_TRUE(t) << t.error().message;
  const model::Network n(t->network, t->topology(10));
  EXPECT_EQ(n.slowest(0, 1).latency.picoseconds(), 150'000'000);
  EXPECT_EQ(n.slowest(0, 1).latencies, 3);
  EXPECT_EQ(n.slowest(0, 5).latency.picoseconds(), 50'000'000);  // before, it is faster
  EXPECT_EQ(n.slowest(0, 5).latencies, 1);
}

// A link that is faster for some time decreases the minimal time of a message.
TEST(LinkEvents, TheLookaheadIsTheLeastOfAllTimes) {
  const auto t = parsed(event("link = \"all\"\nat = \"1s\"\nuntil = \"2s\"\nlatency = 0.5"));
  ASSERT_TRUE(t) << t.error().message;
  EXPECT_EQ(model::Network(t->network, t->topology(10)).lookahead().picoseconds(), 3'000'000 + 25'000'000);
}

// On a bus, a message to one rank may arrive before an earlier message to another rank.
TEST(LinkEvents, TellWhetherHeadsComeInOrder) {
  auto t = parsed(event("link = \"all\"\nat = \"1s\"\nuntil = \"2s\"\nlatency = 0.5"));
  ASSERT_TRUE(t) << t.error().message;
  const auto orderly = [&] { return model::Network(t->network, t->topology(10)).orderly_heads(); };
  t->network.card = model::Card::serial;
  EXPECT_TRUE(orderly());
  EXPECT_TRUE(model::Network(t->network, t->topology(10)).route(0, 1, 1, Instant()).changes);
  t->network.card = model::Card::free;
  t->network.medium = model::Medium::bus;
  EXPECT_FALSE(orderly());
}

TEST(LinkEvents, Mistakes) {
  expect_error(event("link = \"fast\"\nat = \"1s\"\nlatency = 2"),
               "x.toml:15: event.link: invalid link (expected ");
  expect_error(event("link = [\"fast\", \"slow\"]\nat = \"1s\"\nlatency = 2"),
               "x.toml:15: event.link: unknown group of nodes: \"slow\" (expected ");
  expect_error(event("link = \"all\"\nat = \"1s\""), "x.toml:14: event.latency: missing (expected ");
  expect_error(event("link = \"all\"\nat = \"1s\"\nbandwidth = 0"),
               "x.toml:17: event.bandwidth: invalid factor: 0 (expected");
  const std::string slow = "[[link]]\nfrom = \"fast\"\nto = \"fast\"\nlatency = \"1h\"\n";
  expect_error(
      slow + event("link = \"all\"\nat = \"1s\"\nlatency = 1000000"),
      "x.toml:21: event.latency: too large for the link between \"fast\" and \"fast\", whose latency is ");
  expect_error(slow + event("link = \"all\"\nat = \"1s\"\nlatency = 640"),
               "x.toml:21: event.latency: too large");
  EXPECT_TRUE(parsed(slow + event("link = \"all\"\nat = \"1s\"\nlatency = 639")));
  EXPECT_TRUE(parsed(event("link = \"all\"\nat = \"1s\"\nlatency = 1000000")));
  expect_error(
      event("link = \"all\"\nat = \"1s\"\nlatency = 2") +
          event("link = [\"fast\", \"fast\"]\nat = \"2s\"\nlatency = 3"),
      "x.toml:20: event.at: the link between \"fast\" and \"fast\" is changed by event 1 of the file, "
      "from 1 s, too, and by this one from 2 s (expected that one ends where the other begins)");
  EXPECT_TRUE(parsed(event("link = \"all\"\nat = \"1s\"\nlatency = 2") +
                     event("link = [\"fast\", \"fast\"]\nat = \"2s\"\nlatency = 2")));
}

TEST(Medium, Mistakes) {
  const auto network = [](const std::string& more) {
    std::string text = head;
    return text.insert(text.find("eager_limit"), more);
  };
  EXPECT_TRUE(parse(network("medium = \"bus\"\n"), "x.toml"));
  const auto grid = parse(network("medium = \"grid\"\n"), "x.toml");
  ASSERT_FALSE(grid);
  EXPECT_EQ(grid.error().message, "x.toml:2: network.columns: missing (expected such as columns = 64)");
  EXPECT_FALSE(parse(network("columns = 2\n"), "x.toml"));
  EXPECT_FALSE(parse(network("medium = \"bus\"\ncard = \"serial\"\n"), "x.toml"));
}

TEST(Availability, OfAFileThatIsNamed) {
  const auto t = parsed("[[availability]]\nnodes = [0, 4]\nfile = \"a\"\nloop_after = \"5s\"\n");
  ASSERT_TRUE(t) << t.error().message;
  EXPECT_EQ(speed(t, 0, 9), model::one);
  EXPECT_EQ(speed(t, 0, 10), model::one / 2);
  EXPECT_EQ(speed(t, 0, 15), model::one);
  EXPECT_EQ(speed(t, 4, 14.9), model::one / 4);
  EXPECT_EQ(speed(t, 5, 1), model::one);
}

TEST(Availability, Mistakes) {
  expect_error("[[availability]]\nnodes = 0\nfile = \"none\"\n",
               "x.toml:16: availability.file: none: no such file");
  expect_error("[[availability]]\nnodes = 0\nfile = \"bad\"\n",
               "x.toml:16: availability.file: bad:3: invalid time: ");
  expect_error("[[availability]]\nnodes = 0\n", "x.toml:14: availability.file: missing");
}

std::string error_of(const std::string& text) {
  const auto steps = parse_availability(text, "f", {});
  return steps ? "" : steps.error().message;
}

TEST(Availability, FilesOfTwoColumns) {
  const auto steps =
      parse_availability("\n# comment\n 0.0\t1.0 # more\n11.0  0.5\r\n20.0 0.8\nLOOPAFTER 12.0\n", "f", {});
  ASSERT_TRUE(steps) << steps.error().message;
  const auto factor = [&](double seconds) {
    return (*steps)->piece(Instant::start() + Interval::seconds(seconds)).factor;
  };
  EXPECT_EQ(factor(10.9), model::one);
  EXPECT_EQ(factor(11), model::one / 2);
  EXPECT_EQ(factor(31.9), 8 * model::one / 10);
  EXPECT_EQ(factor(32), model::one);
  EXPECT_EQ(factor(43), model::one / 2);
  EXPECT_TRUE(parse_availability("PERIODICITY 1\n0 1\n", "f", {}));

  EXPECT_EQ(error_of(""), "f: no line with a time and a factor");
  EXPECT_EQ(error_of("0 1\n5\n"),
            "f:2: invalid line (expected a time in seconds and a factor, such as \"11.0 0.5\")");
  EXPECT_EQ(error_of("0 1 2\n"),
            "f:1: invalid line (expected a time in seconds and a factor, such as \"11.0 0.5\")");
  EXPECT_EQ(error_of("x 1\n"), "f:1: invalid time: \"x\" (expected seconds, such as 11.0)");
  EXPECT_EQ(error_of("-1 1\n"), "f:1: invalid time: \"-1\" (expected seconds, such as 11.0)");
  EXPECT_EQ(error_of("0 nan\n"), "f:1: invalid factor: \"nan\" (expected 0 to 1000000, such as 0.5)");
  for (const std::string small : {"9e-10", "1e-10", "1e-400"})
    EXPECT_EQ(error_of("0 " + small + "\n"),
              "f:1: invalid factor: \"" + small + "\" (expected 0, or 0.000000001 or more)");
  for (const std::string good : {"0", "0.0", "0e5", "1e-9"}) EXPECT_EQ(error_of("0 " + good + "\n"), "");
  EXPECT_EQ(error_of(std::string("\xef\xbb\xbf") + "0 1\n"), "") << "a byte-order mark";
  EXPECT_EQ(error_of("0 1\nLOOPAFTER 0\n"),
            "f:2: invalid time: \"0\" (expected seconds above 0, such as 12.0)");
}

TEST(Availability, ExponentsAreExact) {
  const auto steps =
      parse_availability("1e-12 0.5\n1.5e-3 2E0\n25E+1 1\n.3e4 5e-1\nLOOPAFTER 1e1\n", "f", {});
  ASSERT_TRUE(steps) << steps.error().message;
  const auto plain =
      parse_availability("0.000000000001 0.5\n0.0015 2\n250 1\n3000 0.5\nLOOPAFTER 10\n", "f", {});
  ASSERT_TRUE(plain) << plain.error().message;
  for (const std::int64_t ps : {std::int64_t{0}, std::int64_t{1}, std::int64_t{1'499'999'999},
                                std::int64_t{1'500'000'000}, std::int64_t{249'999'999'999'999},
                                std::int64_t{250'000'000'000'000}, std::int64_t{3'000'000'000'000'000},
                                std::int64_t{3'010'000'000'000'000}, std::int64_t{3'010'000'000'000'001}}) {
    const Instant at = Instant::from_picoseconds(ps);
    EXPECT_EQ((*steps)->piece(at).factor, (*plain)->piece(at).factor) << ps;
  }
  EXPECT_EQ((*steps)->piece(Instant::from_picoseconds(1)).factor, model::one / 2);
  for (const char* wrong : {"1e", "e1", "1e+-1", "1e-", "1ee1", "-1e1", "1e31"})
    EXPECT_NE(error_of(std::string(wrong) + " 1\n").find("(expected seconds, such as 11.0)"),
              std::string::npos)
        << wrong;
}

TEST(Loads, Mistakes) {
  const auto load = [](const std::string& keys) { return "[[load]]\nnodes = \"all\"\n" + keys + "\n"; };
  EXPECT_TRUE(parsed(load("mean = 0.5\nperiod = \"1s\"\nseed = 7")));
  EXPECT_TRUE(parsed(load("mean = 0.5\nperiod = \"1s\"")));
  const std::string first = load("mean = 0.5\nperiod = \"1s\"\nseed = 7");
  EXPECT_TRUE(parsed(first + "[[load]]\nnodes = 0\nmean = 0.5\nperiod = \"1s\""));
  expect_error(first + "[[load]]\nnodes = 0\nmean = 1\nperiod = \"2s\"\nseed = 7",
               "x.toml:23: load.seed: duplicate load of node 0 with the seed 7: it would use the same random "
               "numbers twice (expected another seed)");
  expect_error(load("period = \"1s\""), "x.toml:14: load.mean: missing");
  expect_error(load("mean = 0.5"), "x.toml:14: load.period: missing");
  expect_error(load("mean = -1\nperiod = \"1s\""),
               "x.toml:16: load.mean: invalid factor: -1 (expected a number ");
  expect_error(load("mean = 0.5\nperiod = \"2h\""),
               "x.toml:17: load.period: too large: \"2h\" (expected at most 1h)");
  expect_error(load("mean = 0.5\nperiod = \"0us\""), "x.toml:17: load.period: too short");
  expect_error(
      load("mean = 1e-12\nperiod = \"1s\""),
      "x.toml:16: load.mean: invalid factor: 1e-12 (expected 0, or 0.000000001 or more, such as 0.5)");
  expect_error(load("mean = 0.5\nperiod = \"1ns\""),
               "x.toml:17: load.period: too short (expected at least \"1us\")");
  expect_error(load("mean = 0.5\nperiod = \"1s\"\nseed = \"a\""),
               "x.toml:18: load.seed: invalid whole number");
}

}  // namespace
}  // namespace emu::target
