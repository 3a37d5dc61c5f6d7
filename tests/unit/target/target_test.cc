#include "target/target.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "target/power.h"

namespace emu::target {
namespace {

// Tests depend on line numbers, counted from the line of "name".
const std::string good = R"(name = "test"
compute = "declared"
host_speed = 2.5
[network]
latency = "50us"
gap = "1us"
gap_per_byte = "0.0268us"
eager_limit = "64KiB"
card = "serial"
[network.send]
fixed = "12.1us"
per_process = "0.182us"
per_byte = "0.0708us"
[network.receive]
fixed = "12.2us"
per_process = "0.183us"
per_byte = "0.0722us"
[network.poll]
fixed = "2us"
[[node]]
count = 3
slots = 2
speed = 0.5
[[node]]
count = 64
)";

std::string replaced(const std::string& what, const std::string& by) {
  std::string text = good;
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

// `good` without the first line that starts with `key`.
std::string without(const std::string& key) {
  std::string text = good;
  const auto at = key == "name" ? 0 : text.find("\n" + key + " ") + 1;
  return text.erase(at, text.find('\n', at) + 1 - at);
}

std::string error_of(const std::string& text) {
  const auto target = parse(text, "x.toml");
  EXPECT_FALSE(target) << "expected an error";
  return target ? "" : target.error().message;
}

// The message starts with `part`; if `part` ends in "...", anything may follow, else nothing.
void expect_error(const std::string& text, std::string part) {
  const std::string message = error_of(text);
  if (part.ends_with("...")) {
    part.erase(part.size() - 3);
    EXPECT_EQ(message.substr(0, part.size()), part);
    EXPECT_EQ(message.find('\n'), std::string::npos) << "one mistake, one line: " << message;
  } else {
    EXPECT_EQ(message, part);
  }
}

TEST(Target, EveryKeyIsRead) {
  const auto t = parse(good, "x.toml");
  ASSERT_TRUE(t) << t.error().message;
  EXPECT_EQ(t->name, "test");
  EXPECT_EQ(t->compute, Compute::declared);
  EXPECT_EQ(t->host_speed, 2.5);
  EXPECT_EQ(t->network.latency.picoseconds(), 50'000'000);
  EXPECT_EQ(t->network.gap.picoseconds(), 1'000'000);
  EXPECT_EQ(t->network.gap_per_byte.femtoseconds_per_byte(), 26'800'000);
  EXPECT_EQ(t->network.eager_limit, 65536);
  EXPECT_FALSE(t->network.always_eager);
  EXPECT_EQ(t->network.card, model::Card::serial);
  EXPECT_EQ(t->network.send.fixed.picoseconds(), 12'100'000);
  EXPECT_EQ(t->network.send.per_process.picoseconds(), 182'000);
  EXPECT_EQ(t->network.send.per_byte.femtoseconds_per_byte(), 70'800'000);
  EXPECT_EQ(t->network.receive.fixed.picoseconds(), 12'200'000);
  EXPECT_EQ(t->network.receive.per_process.picoseconds(), 183'000);
  EXPECT_EQ(t->network.receive.per_byte.femtoseconds_per_byte(), 72'200'000);
  EXPECT_EQ(t->network.poll.picoseconds(), 2'000'000);
  ASSERT_EQ(t->nodes.size(), 2u);
  EXPECT_EQ(t->nodes[0].count, 3);
  EXPECT_EQ(t->nodes[0].slots, 2);
  EXPECT_EQ(t->nodes[0].speed, 0.5);
  EXPECT_EQ(t->nodes[1].slots, 1);
  EXPECT_EQ(t->nodes[1].speed, 1.0);
}

TEST(Target, ValuesMayHaveIntervals) {
  EXPECT_TRUE(parse(good, "x.toml")->uncertainties.empty());
  const auto half = [](const char* what, const char* by, const char* key) {
    const auto t = parse(replaced(what, by), "x.toml");
    EXPECT_TRUE(t) << t.error().message;
    return t && t->uncertainties.size() == 1 ? t->uncertainties.at(key) : -1;
  };
  EXPECT_DOUBLE_EQ(half("\"50us\"", "\"50us +- 0.6us\"", "network.latency"), 0.6e-6);
  EXPECT_DOUBLE_EQ(half("\"50us\"", "\"50us\u00b11ns\"", "network.latency"), 1e-9);
  EXPECT_DOUBLE_EQ(half("\"50us\"", "\"50us +- 2 %\"", "network.latency"), 1e-6);
  EXPECT_DOUBLE_EQ(half("\"1us\"", "\"0us +- 20ns\"", "network.gap"), 20e-9);
  EXPECT_DOUBLE_EQ(half("\"0.0268us\"", "\"0.0268us +- 5ps\"", "network.gap_per_byte"), 5e-12);
  EXPECT_DOUBLE_EQ(half("\"0.0268us\"", "\"100Mbit/s +- 2Mbit/s\"", "network.gap_per_byte"), 1.6e-9);
  EXPECT_DOUBLE_EQ(half("\"0.0268us\"", "\"100Mbit/s +- 2%\"", "network.gap_per_byte"), 1.6e-9);
  EXPECT_DOUBLE_EQ(half("\"12.2us\"", "\"12.2us +- 1us\"", "network.receive.fixed"), 1e-6);
  EXPECT_DOUBLE_EQ(half("\"2us\"", "\"2us +- 50%\"", "network.poll.fixed"), 1e-6);
  EXPECT_DOUBLE_EQ(half("speed = 0.5", "speed = \"0.5 +- 0.01\"", "node.speed"), 0.02);
  EXPECT_DOUBLE_EQ(half("host_speed = 2.5", "host_speed = \"2.5 +- 4%\"", "host_speed"), 0.04);
  const auto t = parse(replaced("\"50us\"", "\"50us +- 0.6us\""), "x.toml");
  EXPECT_EQ(t->network.latency.picoseconds(), 50'000'000);
  EXPECT_EQ(parse(replaced("speed = 0.5", "speed = \"0.5 +- 0.01\""), "x.toml")->nodes[0].speed, 0.5);
}

TEST(Target, WhatIsWrongWithAnIntervalIsSaid) {
  expect_error(replaced("\"50us\"", "\"50us +- fast\""),
               "x.toml:5: network.latency: the interval behind +-: \"fast\" does not start ...");
  expect_error(replaced("\"50us\"", "\"50us +- \""),
               "x.toml:5: network.latency: the interval behind +-: is empty...");
  expect_error(replaced("\"50us\"", "\"50us +- 1Mbit/s\""),
               "x.toml:5: network.latency: the interval behind +-: \"1Mbit/s\" has the unit ...");
  expect_error(replaced("\"50us\"", "\"50 +- 1us\""), "x.toml:5: network.latency: \"50\" has no unit...");
  expect_error(replaced("speed = 0.5", "speed = \"0.5 +- 1us\""),
               "x.toml:23: node.speed: the interval behind +-: invalid decimal number: \"1us\"...");
  expect_error(replaced("\"64KiB\"", "\"64KiB +- 1KiB\""), "x.toml:8: network.eager_limit: ...");
  expect_error(good + "[[link]]\ninside = \"all\"\nlatency = \"1us +- 1ns\"\n",
               "x.toml:28: link.latency: has an interval, which only host_speed, node.speed and the times in "
               "[network] and [storage] may have; take +- 1ns away");
}

TEST(Target, HandshakesHaveTwoTripsOrMore) {
  const auto with = [](const std::string& value) {
    return replaced("card = \"serial\"", "handshake_trips = " + value);
  };
  EXPECT_EQ(parse(good, "x.toml")->network.handshake_trips, 2);
  EXPECT_EQ(parse(with("4"), "x.toml")->network.handshake_trips, 4);
  for (const char* bad : {"1", "17"})
    expect_error(with(bad), std::string("x.toml:9: network.handshake_trips: is ") + bad +
                                "; write a whole number from 2, request and answer, to 16");
  expect_error(with("\"4\""), "x.toml:9: network.handshake_trips: invalid whole number ...");
}

TEST(Target, Defaults) {
  for (const auto& [key, line] : {std::pair{"compute", 0}, {"host_speed", 0}, {"gap", 0}, {"card", 0}})
    EXPECT_TRUE(parse(without(key), "x.toml")) << key << line;
  EXPECT_EQ(parse(without("compute"), "x.toml")->compute, Compute::measured);
  EXPECT_EQ(parse(without("host_speed"), "x.toml")->host_speed, 1.0);
  EXPECT_EQ(parse(without("gap"), "x.toml")->network.gap, Interval());
  EXPECT_EQ(parse(without("card"), "x.toml")->network.card, model::Card::free);
  const auto no_poll = parse(replaced("[network.poll]\nfixed = \"2us\"\n", ""), "x.toml");
  ASSERT_TRUE(no_poll);
  EXPECT_EQ(no_poll->network.poll.picoseconds(), 1'000'000);
  const auto empty_poll = parse(replaced("fixed = \"2us\"\n", ""), "x.toml");
  ASSERT_TRUE(empty_poll);
  EXPECT_EQ(empty_poll->network.poll.picoseconds(), 1'000'000);
}

TEST(Target, StorageTakesItsTime) {
  const auto otherwise = parse(good, "x.toml")->storage;
  EXPECT_FALSE(otherwise.given);
  EXPECT_EQ(otherwise.latency.picoseconds(), 1'000'000'000);
  EXPECT_EQ(otherwise.per_byte.femtoseconds_per_byte(), 10'000'000);
  const auto with = [](const std::string& keys) { return good + "[storage]\n" + keys; };
  const auto t =
      parse(with("latency = \"200us +- 5us\"\nbandwidth = \"50MB/s\"\nshared = false\n"), "x.toml");
  ASSERT_TRUE(t) << t.error().message;
  EXPECT_TRUE(t->storage.given);
  EXPECT_EQ(t->storage.latency.picoseconds(), 200'000'000);
  EXPECT_EQ(t->storage.per_byte.femtoseconds_per_byte(), 20'000'000);
  EXPECT_DOUBLE_EQ(t->uncertainties.at("storage.latency"), 5e-6);
  EXPECT_FALSE(t->storage.shared);
  EXPECT_TRUE(
      parse(with("latency = \"1ms\"\nbandwidth = \"50MB/s\"\nshared = true\n"), "x.toml")->storage.shared);
  expect_error(with("bandwidth = \"50MB/s\"\n"),
               "x.toml:26: storage.latency: is missing; write for example ...");
  expect_error(with("latency = \"1ms\"\n"),
               "x.toml:26: storage.bandwidth: is missing; write for example ...");
  expect_error(with("latency = \"1ms\"\nbandwidth = \"fast\"\n"), "x.toml:28: storage.bandwidth: ...");
  expect_error(with("latency = 1\nbandwidth = \"50MB/s\"\n"), "x.toml:27: storage.latency: ...");
  expect_error(with("latency = \"1ms\"\nbandwidth = \"50MB/s\"\nshared = \"yes\"\n"),
               "x.toml:29: storage.shared: invalid truth value (expected true or false, without quotes)");
  expect_error(with("latency = \"1ms\"\nbandwidth = \"50MB/s\"\nserver = 1\n"),
               "x.toml:29: storage.server: is an unknown key; known here are \"latency\", ...");
}

TEST(Target, EagerWithoutLimit) {
  const auto t = parse(replaced("\"64KiB\"", "\"unlimited\""), "x.toml");
  ASSERT_TRUE(t) << t.error().message;
  EXPECT_TRUE(t->network.always_eager);
}

TEST(Target, ARateIsATimePerByte) {
  const auto t = parse(replaced("\"0.0268us\"", "\"100Mbit/s\""), "x.toml");
  ASSERT_TRUE(t) << t.error().message;
  EXPECT_EQ(t->network.gap_per_byte.femtoseconds_per_byte(), 80'000'000);
}

TEST(Target, RequiredKeys) {
  expect_error(without("name"), "x.toml:1: name: is missing; write for example name = ...");
  for (const char* key : {"latency", "gap_per_byte", "eager_limit"})
    expect_error(without(key), std::string("x.toml:4: network.") + key + ": is missing; write for example " +
                                   key + " = ...");
  expect_error(without("fixed"), "x.toml:10: network.send.fixed: is missing; write for example fixed = ...");
  expect_error(without("count"), "x.toml:20: node.count: is missing; write for example count = 64");
  expect_error("name = \"test\"\n[[node]]\ncount = 1\n",
               "x.toml:1: network: is missing; write for example a table [network] with the keys ...");
  expect_error(
      good.substr(0, good.find("[[node]]")),
      "x.toml:1: node: is missing; write for example [[node]] with the keys \"name\", \"count\", \"slots\", "
      "\"speed\", \"speed_with\", \"cores\", \"watts\", \"jitter\" and \"seed\"");
}

TEST(Target, PowerOfNodes) {
  const std::string text = good + "watts = { idle = 90, busy = 250.5 }\n[[node]]\ncount = 1\n";
  ASSERT_TRUE(parse(text, "x.toml"));
  const auto all = powers(text);
  ASSERT_EQ(all.size(), 3u);
  ASSERT_TRUE(all[1]);
  EXPECT_EQ(all[1]->idle, 90);
  EXPECT_EQ(all[1]->busy, 250.5);
  EXPECT_FALSE(all[0] || all[2]);
  const auto message = [](const std::string& watts) {
    const auto target = parse(good + "watts = " + watts + "\n", "x.toml");
    return target ? "" : target.error().message;
  };
  EXPECT_NE(message("250").find("node.watts"), std::string::npos);
  EXPECT_NE(message("{ idle = 90 }").find("node.watts.busy: is missing"), std::string::npos);
  EXPECT_NE(message("{ idle = 90, busy = 80 }").find("is less than idle"), std::string::npos);
  EXPECT_NE(message("{ idle = -1, busy = 80 }").find("node.watts.idle"), std::string::npos);
  EXPECT_NE(message("{ idle = 90, busy = 95, max = 99 }").find("node.watts.max"), std::string::npos);
}

TEST(Target, WhatGrowsMayBeLeftOut) {
  for (const char* key : {"per_process", "per_byte"}) {
    const auto t = parse(without(key), "x.toml");
    ASSERT_TRUE(t) << t.error().message;
    const model::Overhead& send = t->network.send;
    EXPECT_EQ(key == std::string("per_process") ? send.per_process.picoseconds()
                                                : send.per_byte.femtoseconds_per_byte(),
              0);
  }
}

TEST(Target, Pieces) {
  const auto with = [](const std::string& more) { return good + "[[network.piece]]\n" + more; };
  const auto t =
      parse(with("up_to = \"8KiB\"\nlatency = \"9us +- 1us\"\nsend = { fixed = \"2us\" }\n"), "x.toml");
  ASSERT_TRUE(t) << t.error().message;
  ASSERT_EQ(t->network.pieces.size(), 1u);
  const model::Piece& piece = t->network.pieces[0];
  EXPECT_EQ(piece.up_to, 8192);
  EXPECT_EQ(piece.latency.picoseconds(), 9'000'000);
  EXPECT_EQ(piece.gap_per_byte, t->network.gap_per_byte);
  EXPECT_EQ(piece.send.fixed.picoseconds(), 2'000'000);
  EXPECT_EQ(piece.send.per_process, t->network.send.per_process);
  EXPECT_EQ(piece.receive, t->network.receive);
  EXPECT_EQ(t->between.front().pieces, t->network.pieces);
  EXPECT_DOUBLE_EQ(t->uncertainties.at("network.latency"), 1e-6);
  expect_error(with("up_to = \"0B\"\n"),
               "x.toml:27: network.piece.up_to: is 0; an empty message counts as 1 byte...");
  expect_error(with("up_to = \"fast\"\n"), "x.toml:27: network.piece.up_to: ...");
  expect_error(with("up_to = \"1KiB\"\neager_limit = \"1B\"\n"),
               "x.toml:28: network.piece.eager_limit: is an unknown key; known here are \"up_to\", ...");
}

TEST(Target, SpeedsThatAreSpread) {
  const auto with = [](const std::string& group) { return replaced("speed = 0.5\n", group); };
  const auto t = parse(with("speed = \"0.5 spread 3%\"\njitter = \"2%\"\nseed = 7\n"), "x.toml");
  ASSERT_TRUE(t) << t.error().message;
  EXPECT_EQ(t->nodes[0].speed, 0.5);
  const auto speed = [&](int node) { return t->speed(node, t->slots()).at(Instant()); };
  for (const int node : {0, 1, 2}) {
    const std::int64_t z = model::normal(7, static_cast<std::uint64_t>(node), 0);
    EXPECT_EQ(speed(node), model::spread(500'000'000, 30'000, z));
    EXPECT_NE(speed(node), 500'000'000);
  }
  EXPECT_NE(speed(0), speed(1));
  EXPECT_EQ(speed(3), model::one);  // the second group
  EXPECT_EQ(t->speed(0, t->slots()).jitter().deviation, 20'000);
  EXPECT_EQ(t->speed(3, t->slots()).jitter().deviation, 0);
  EXPECT_DOUBLE_EQ(parse(with("speed = \"0.5 +- 1% spread 3%\"\n"), "x.toml")->uncertainties.at("node.speed"),
                   0.01);
  expect_error(
      with("speed = \"0.5 spread 3\"\n"),
      "x.toml:23: node.speed: invalid spread: \"0.5 spread 3\" (expected a percentage below 100, ...");
  expect_error(with("jitter = \"100%\"\n"),
               "x.toml:23: node.jitter: invalid percentage: \"100%\" (expected less than 100, ...");
  expect_error(replaced("compute = \"declared\"", "compute = \"measured\"") + "jitter = \"1%\"\n",
               "x.toml:26: node.jitter: is for compute = \"declared\": ...");
}

TEST(Target, WhatItQuotesCommandsNoTerminal) {
  expect_error(replaced("latency =", "\"lat\\u001b[2J\\nency\" ="),
               "x.toml:5: network.lat?[2J?ency: is an unknown key...");
}

TEST(Target, UnknownKeys) {
  expect_error(replaced("latency =", "latencyy ="),
               "x.toml:5: network.latencyy: is an unknown key; did you mean \"latency\"?");
  expect_error(replaced("compute =", "color ="),
               "x.toml:2: color: is an unknown key; known here are \"name\", \"compute\", \"host_speed\", "
               "...");
  expect_error(replaced("slots =", "slot ="),
               "x.toml:22: node.slot: is an unknown key; did you mean \"slots\"?");
  expect_error(replaced("[network.poll]", "[network.pol]"),
               "x.toml:18: network.pol: is an unknown key; did you mean \"poll\"?");
  expect_error(replaced("[network.poll]\nfixed", "[network.poll]\nper_byte"),
               "x.toml:19: network.poll.per_byte: is an unknown key; known here are \"fixed\"");
}

TEST(Target, WrongTypes) {
  expect_error(
      replaced("\"50us\"", "50"),
      "x.toml:5: network.latency: is a number without a unit; write it in quotes, such as \"12.1us\"");
  expect_error(replaced("\"0.0268us\"", "0.0268"),
               "x.toml:7: network.gap_per_byte: is a number without a unit; ...");
  expect_error(
      replaced("\"64KiB\"", "65536"),
      "x.toml:8: network.eager_limit: is a number without a unit; write it in quotes, such as \"64KiB\"");
  expect_error(replaced("\"50us\"", "[1]"), "x.toml:5: network.latency: is a list; ...");
  expect_error(replaced("\"50us\"", "true"), "x.toml:5: network.latency: is true or false; ...");
  expect_error(replaced("\"50us\"", "2004-01-01"),
               "x.toml:5: network.latency: is a date or a time of day; ...");
  expect_error(replaced("\"50us\"", "nan"), "x.toml:5: network.latency: is a number without a unit; ...");
  expect_error(replaced("\"test\"", "7"), "x.toml:1: name: is a number without a unit; ...");
  expect_error(replaced("count = 3", "count = \"3\""),
               "x.toml:21: node.count: is text; write a whole number from 1 to 1000000");
  expect_error(replaced("count = 3", "count = 3.0"), "x.toml:21: node.count: is a number with a point; ...");
  expect_error(replaced("speed = 0.5", "speed = \"fast\""),
               "x.toml:23: node.speed: is text; write a number above 0 ...");
  expect_error(replaced("[network.poll]\nfixed = \"2us\"\n", "[network]\n"), "x.toml:18: invalid TOML: ...");
  expect_error("network = 3\nname = \"a\"\n[[node]]\ncount = 1\n",
               "x.toml:1: network: is a number without a unit; write a table [network]");
  expect_error(replaced("[[node]]\ncount = 64", "").replace(good.find("[[node]]"), 8, "[node]"),
               "x.toml:20: node: is a table; write [[node]], once for each");
  expect_error("node = []\n" + good.substr(0, good.find("[[node]]")),
               "x.toml:1: node: is a list; write [[node]], once for each");
}

TEST(Target, WrongValues) {
  expect_error(
      replaced("\"50us\"", "\"50\""),
      "x.toml:5: network.latency: \"50\" has no unit; write a number and a unit, such as \"12.1us\"");
  expect_error(
      replaced("\"50us\"", "\"50KiB\""),
      "x.toml:5: network.latency: \"50KiB\" has the unit \"KiB\"; right would be a unit of time: ps, ns, us, "
      "ms, s, min or h");
  expect_error(replaced("\"50us\"", "\"-50us\""), "x.toml:5: network.latency: \"-50us\" is negative; ...");
  expect_error(replaced("\"50us\"", "\"2h\""),
               "x.toml:5: network.latency: \"2h\" is too large; the most is 1h");
  expect_error(replaced("\"0.0268us\"", "\"2ms\""),
               "x.toml:7: network.gap_per_byte: \"2ms\" is too slow; ...");
  expect_error(replaced("\"64KiB\"", "\"64us\""),
               "x.toml:8: network.eager_limit: \"64us\" has the unit \"us\"; ...");
  expect_error(replaced("\"64KiB\"", "\"infinite\""),
               "x.toml:8: network.eager_limit: \"infinite\" does not start ...");
  expect_error(replaced("\"serial\"", "\"fast\""),
               "x.toml:9: network.card: \"fast\" is unknown; write \"free\", \"serial\" or \"node\"");
  expect_error(replaced("\"declared\"", "\"Declared\""),
               "x.toml:2: compute: \"Declared\" is unknown; write \"measured\" or \"declared\"");
  expect_error(replaced("\"test\"", "\"\""), "x.toml:1: name: is empty; ...");
  expect_error(replaced("\"test\"", "\"a\\nb\""), "x.toml:1: name: has a line break ...");
  for (const char* bad : {"0", "-1", "1000001", "9223372036854775807"})
    expect_error(
        replaced("count = 3", std::string("count = ") + bad),
        std::string("x.toml:21: node.count: is ") + bad + "; write a whole number from 1 to 1000000");
  for (const char* bad : {"0", "-1.5", "nan", "inf", "1e300"})
    expect_error(replaced("speed = 0.5", std::string("speed = ") + bad), "x.toml:23: node.speed: is ...");
  expect_error(replaced("host_speed = 2.5", "host_speed = 0"),
               "x.toml:3: host_speed: is 0; write a number above 0 ...");
  expect_error(replaced("count = 3\nslots = 2", "count = 1000000\nslots = 1000000"),
               "x.toml:21: node.count: all groups together have 1000000000064 slots; the most is 1000000");
}

TEST(Target, AllMistakesAtOnceInTheOrderOfTheFile) {
  std::string text = replaced("\"50us\"", "50");
  text.replace(text.find("count = 64"), 10, "count = 0");
  text.replace(text.find("compute"), 7, "komputer");
  const std::string message = error_of(text);
  const auto first = message.find("x.toml:2: komputer"), second = message.find("\nx.toml:5: network.latency"),
             third = message.find("\nx.toml:25: node.count");
  EXPECT_EQ(first, 0u) << message;
  EXPECT_NE(second, std::string::npos) << message;
  EXPECT_NE(third, std::string::npos) << message;
  EXPECT_LT(second, third);
}

TEST(Target, NoTargetFileAtAll) {
  expect_error("", "x.toml:1: the file is empty; a target file is TOML text ...");
  expect_error(" \n\n", "x.toml:1: the file is empty; ...");
  expect_error(std::string("\x7f"
                           "ELF\0\1\2",
                           7),
               "x.toml: not a text file; ...");
  expect_error("name = \"caf\xe9\"\n", "x.toml:1: invalid TOML: ...");
  expect_error("name = \"a\"\nname = \"b\"\n", "x.toml:2: invalid TOML: ...");
  expect_error("name = \"a\n", "x.toml:1: invalid TOML: ...");
  // A quotation of the file contains no control sequences for the terminal.
  EXPECT_EQ(parse("name = fa\x1b[2J\n", "x.toml").error().message.find('\x1b'), std::string::npos);
}

// A folder of valid and invalid files.
class TargetFile : public testing::Test {
 protected:
  TargetFile() { EXPECT_NE(mkdtemp(folder_.data()), nullptr); }
  ~TargetFile() override { EXPECT_EQ(std::system(("rm -r " + folder_).c_str()), 0); }

  std::string error(const std::string& name) {
    const auto target = load(folder_ + "/" + name);
    EXPECT_FALSE(target);
    return target ? "" : target.error().message;
  }

  std::string folder_ = testing::TempDir() + "target-test-XXXXXX";
};

TEST_F(TargetFile, Loads) {
  std::ofstream(folder_ + "/good.toml") << good;
  const auto target = load(folder_ + "/good.toml");
  ASSERT_TRUE(target) << target.error().message;
  EXPECT_EQ(target->slots(), 70);
  std::ofstream(folder_ + "/bad.toml") << without("latency");
  EXPECT_EQ(error("bad.toml").find(folder_ + "/bad.toml:4: network.latency: is missing"), 0u);
}

TEST_F(TargetFile, WhatIsNoFileIsAnError) {
  EXPECT_NE(error("none.toml").find("/none.toml: the target file cannot be opened: No such file"),
            std::string::npos);
  EXPECT_NE(error("").find("is a directory"), std::string::npos);
  ASSERT_EQ(mkfifo((folder_ + "/pipe").c_str(), 0600), 0);
  EXPECT_NE(error("pipe").find("not a regular file"), std::string::npos);
  std::ofstream(folder_ + "/large") << std::string(2'000'000, '#');
  EXPECT_NE(error("large").find("is larger than 1 MiB"), std::string::npos);
}

TEST(Target, NodesAndSpeedsInFileOrder) {
  const auto t = parse(good, "x.toml");
  ASSERT_TRUE(t);
  EXPECT_EQ(t->slots(), 70);
  EXPECT_EQ(t->node_count(), 67);
  EXPECT_EQ(t->speed(0, t->slots()).at(Instant()), model::one / 2);
  EXPECT_EQ(t->speed(2, t->slots()).at(Instant()), model::one / 2);
  EXPECT_EQ(t->speed(3, t->slots()).at(Instant()), model::one);
  EXPECT_EQ(t->speed(66, t->slots()).at(Instant()), model::one);
}

TEST(Target, RanksMustFit) {
  const auto t = parse(good, "x.toml");
  ASSERT_TRUE(t);
  EXPECT_TRUE(fits(*t, 1, "x.toml"));
  EXPECT_TRUE(fits(*t, 70, "x.toml"));
  ASSERT_FALSE(fits(*t, 71, "x.toml"));
  EXPECT_EQ(fits(*t, 71, "x.toml").error().message,
            "x.toml:20: node: 71 ranks are more than the 70 slots of the target; start at most 70, or raise "
            "count or slots "
            "of a [[node]]");
  EXPECT_FALSE(fits(*t, 0, "x.toml"));
  EXPECT_FALSE(fits(*t, -1, "x.toml"));
}

}  // namespace
}  // namespace emu::target
