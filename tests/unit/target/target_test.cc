#include "target/target.h"

#include <gtest/gtest.h>

#include "good_target.h"
#include "target/power.h"

namespace emu::target {
namespace {

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

TEST(Target, HandshakesHaveTwoTripsOrMore) {
  const auto with = [](const std::string& value) {
    return replaced("card = \"serial\"", "handshake_trips = " + value);
  };
  EXPECT_EQ(parse(good, "x.toml")->network.handshake_trips, 2);
  EXPECT_EQ(parse(with("4"), "x.toml")->network.handshake_trips, 4);
  for (const char* bad : {"1", "17"})
    expect_error(with(bad), std::string("x.toml:9: network.handshake_trips: invalid number: ") + bad +
                                " (expected a whole number from 2, request and answer, to 16)");
  expect_error(with("\"4\""), "x.toml:9: network.handshake_trips: invalid whole number ...");
}

TEST(Target, TheReceiverMayReadTheDataOfAHandshake) {
  const auto with = [](const std::string& card, const std::string& value) {
    return replaced("card = \"serial\"", card + "rendezvous = \"" + value + "\"");
  };
  EXPECT_EQ(parse(good, "x.toml")->network.rendezvous, model::Rendezvous::put);
  EXPECT_EQ(parse(with("", "put"), "x.toml")->network.rendezvous, model::Rendezvous::put);
  EXPECT_EQ(parse(with("", "get"), "x.toml")->network.rendezvous, model::Rendezvous::get);
  EXPECT_EQ(parse(with("put_limit = \"9KiB\"\n", "get"), "x.toml")->network.put_limit, 9216);
  expect_error(with("put_limit = \"unlimited\"\n", "get"), "x.toml:9: network.put_limit: ...");
  expect_error(with("put_limit = \"9KiB\"\n", "put"),
               "x.toml:9: network.put_limit: needs rendezvous = \"get\"");
  expect_error(with("", "read"), "x.toml:9: network.rendezvous: ...");
  expect_error(with("card = \"serial\"\n", "get"),
               "x.toml:10: network.rendezvous: invalid protocol: \"get\" (expected \"put\", or card = "
               "\"free\" or \"node\", or a link inside a node)");
  expect_error(with("medium = \"bus\"\n", "get"),
               "x.toml:10: network.rendezvous: invalid protocol: \"get\" (expected \"put\", or medium = "
               "\"switch\" or \"grid\", or a link inside a node)");
}

TEST(Target, ASendReturnsWhenItsDataAreCopiedOrSent) {
  const auto with = [](const std::string& more, const std::string& value) {
    return replaced("card = \"serial\"", more + "send_returns = \"" + value + "\"");
  };
  EXPECT_EQ(parse(good, "x.toml")->network.send_returns, model::SendReturns::copied);
  EXPECT_EQ(parse(with("card = \"serial\"\n", "copied"), "x.toml")->network.send_returns,
            model::SendReturns::copied);
  EXPECT_EQ(parse(with("", "sent"), "x.toml")->network.send_returns, model::SendReturns::sent);
  expect_error(with("", "gone"), "x.toml:9: network.send_returns: ...");
  const std::string key = "x.toml:10: network.send_returns: \"sent\" needs ";
  const std::string remedy = " or a link inside a node (expected \"copied\")";
  expect_error(with("card = \"serial\"\n", "sent"), key + "card = \"free\"" + remedy);
  expect_error(with("card = \"node\"\n", "sent"), key + "card = \"free\"" + remedy);
  expect_error(with("medium = \"bus\"\n", "sent"), key + "medium = \"switch\" or \"grid\"" + remedy);
  expect_error(with("memory_bandwidth = \"1GB/s\"\n", "sent"),
               key + "a network without memory_bandwidth (expected \"copied\")");
  expect_error(with("", "sent") + "\n[topology]\nkind = \"star\"\nbandwidth = \"1GB/s\"\n",
               "x.toml:9: network.send_returns: \"sent\" needs a target without [topology]" + remedy);
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
  EXPECT_EQ(empty_poll->network.poll_growth, 0);
  const auto growing = parse(replaced("[network.poll]\n", "[network.poll]\ngrowth = \"0.1%\"\n"), "x.toml");
  ASSERT_TRUE(growing);
  EXPECT_EQ(growing->network.poll_growth, 1'000'000);
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
  expect_error(with("bandwidth = \"50MB/s\"\n"), "x.toml:26: storage.latency: missing (expected such as ...");
  expect_error(with("latency = \"1ms\"\n"), "x.toml:26: storage.bandwidth: missing (expected such as ...");
  expect_error(with("latency = \"1ms\"\nbandwidth = \"fast\"\n"), "x.toml:28: storage.bandwidth: ...");
  expect_error(with("latency = 1\nbandwidth = \"50MB/s\"\n"), "x.toml:27: storage.latency: ...");
  expect_error(with("latency = \"1ms\"\nbandwidth = \"50MB/s\"\nshared = \"yes\"\n"),
               "x.toml:29: storage.shared: invalid truth value (expected true or false, without quotes)");
  expect_error(with("latency = \"1ms\"\nbandwidth = \"50MB/s\"\nserver = 1\n"),
               "x.toml:29: storage.server: unknown key (expected one of \"latency\", ...");
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
  expect_error(without("name"), "x.toml:1: name: missing (expected such as name = ...");
  for (const char* key : {"latency", "gap_per_byte", "eager_limit"})
    expect_error(without(key),
                 std::string("x.toml:4: network.") + key + ": missing (expected such as " + key + " = ...");
  expect_error(without("fixed"), "x.toml:10: network.send.fixed: missing (expected such as fixed = ...");
  expect_error(without("count"), "x.toml:20: node.count: missing (expected such as count = 64)");
  expect_error("name = \"test\"\n[[node]]\ncount = 1\n",
               "x.toml:1: network: missing (expected such as a table [network] with the keys ...");
  expect_error(
      good.substr(0, good.find("[[node]]")),
      "x.toml:1: node: missing (expected such as [[node]] with the keys \"name\", \"count\", \"slots\", "
      "\"speed\", \"speed_with\", \"cores\", \"watts\", \"jitter\" and \"seed\")");
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
  EXPECT_NE(message("{ idle = 90 }").find("node.watts.busy: missing"), std::string::npos);
  EXPECT_NE(message("{ idle = 90, busy = 80 }").find("less than idle"), std::string::npos);
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
  expect_error(with("up_to = \"0B\"\n"), "x.toml:27: network.piece.up_to: invalid size: 0 (expected ...");
  expect_error(with("up_to = \"fast\"\n"), "x.toml:27: network.piece.up_to: ...");
  expect_error(with("up_to = \"1KiB\"\neager_limit = \"1B\"\n"),
               "x.toml:28: network.piece.eager_limit: unknown key (expected one of \"up_to\", ...");
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
               "x.toml:26: node.jitter: needs compute = \"declared\": ...");
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
            "x.toml:20: node: 71 ranks are more than the 70 slots of the target (expected at most 70, or a "
            "larger count or slots of a [[node]])");
  EXPECT_FALSE(fits(*t, 0, "x.toml"));
  EXPECT_FALSE(fits(*t, -1, "x.toml"));
}

}  // namespace
}  // namespace emu::target
