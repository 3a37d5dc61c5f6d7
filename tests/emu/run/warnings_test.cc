#include "prediction/warnings.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "prediction/uncalibrated.h"

namespace emu::app {
namespace {

constexpr std::int64_t ms = 1'000'000;  // in ns

// Four ranks that compute for 1 s, which took as long on the host, without doubts.
record::RunSummary sound() {
  record::RunSummary run;
  for (int i = 0; i < 4; ++i) {
    record::RankSummary rank;
    rank.time.compute = rank.path.compute = Interval::seconds(1);
    rank.finish = Instant::start() + rank.time.total();
    rank.doubts.cpu = 1000 * ms;
    run.ranks.push_back(rank);
  }
  return run;
}

std::vector<std::string> keys(const record::RunSummary& run, bool measured = true,
                              const HostLoad& host = {}) {
  std::vector<std::string> result;
  for (const Warning& warning : warnings(run, {measured, host})) result.push_back(warning.key);
  return result;
}
using Keys = std::vector<std::string>;

TEST(Warnings, NothingIsSaidOfASoundRun) {
  EXPECT_EQ(keys(sound()), Keys());
  EXPECT_EQ(keys(record::RunSummary()), Keys());
}

TEST(Warnings, EachDoubtIsSaidOfTheRanksThatHaveIt) {
  const auto with = [](std::int64_t record::Doubts::*doubt, std::int64_t value) {
    record::RunSummary run = sound();
    run.ranks[2].doubts.*doubt = value;
    return warnings(run, {true});
  };
  const std::vector<std::tuple<std::string, std::int64_t record::Doubts::*, std::int64_t>> cases = {
      {"threads", &record::Doubts::other_cpu, 100 * ms},
      {"thread-order", &record::Doubts::callers, 2},
      {"thread-ran-on", &record::Doubts::ran_on, 1},
      {"sleeps", &record::Doubts::sleeps, 1},
      {"storage", &record::Doubts::files, 1},
      {"algorithms", &record::Doubts::other_algorithms, 1},
      {"shared-memory", &record::Doubts::shared_windows, 1},
      {"spinning", &record::Doubts::spun, 1},
      {"children", &record::Doubts::children, 1},
      {"unfinalized", &record::Doubts::unfinalized, 1},
      {"host-clock", &record::Doubts::host_clocks, 1},
      {"random-seed", &record::Doubts::random, 1},
      {"random-seed", &record::Doubts::dated_seeds, 1},
  };
  for (const auto& [key, doubt, value] : cases) {
    const auto found = with(doubt, value);
    ASSERT_EQ(found.size(), 1u) << key;
    EXPECT_EQ(found[0].key, key);
    EXPECT_EQ(found[0].ranks, std::vector<int>{2});
    EXPECT_NE(found[0].text.find("rank 2"), std::string::npos) << found[0].text;
  }
  EXPECT_TRUE(with(&record::Doubts::other_cpu, 5 * ms).empty());  // of threads of libraries
}

TEST(Warnings, PollsAboveHalfOfTheTime) {
  record::RunSummary run = sound();
  for (int more = 0; more < 2; ++more) {
    record::RankSummary& rank = run.ranks[1];
    rank.time.poll = rank.time.compute + Interval::picoseconds(more);
    rank.finish = Instant::start() + rank.time.total();
    EXPECT_EQ(keys(run), more ? Keys{"polls"} : Keys());
  }
}

TEST(Warnings, AHostThatIsShared) {
  record::RunSummary run = sound();
  run.ranks[0].doubts.switches = 49;  // the sum over all ranks counts: 200 of them in 4 s
  EXPECT_EQ(keys(run), Keys());
  for (record::RankSummary& rank : run.ranks) rank.doubts.switches = 60;
  EXPECT_EQ(keys(run), Keys{"oversubscribed"});
  EXPECT_EQ(keys(run, false), Keys());  // declared work does not depend on it
  EXPECT_EQ(keys(sound(), true, {0.05, 0}), Keys{"stolen"});
  EXPECT_EQ(keys(sound(), true, {0.01, 0}), Keys());
  EXPECT_EQ(keys(sound(), true, {0, 0.5}), Keys{"throttled"});
  EXPECT_EQ(keys(sound(), false, {0.05, 0.5}), Keys());
  for (record::RankSummary& rank : run.ranks)
    rank.path.compute = Interval();  // the prediction contains none of it
  EXPECT_EQ(keys(run), Keys());
}

TEST(Warnings, CoresThatAreSlowAfterAnIdleTime) {
  const auto of = [](const record::RunSummary& run, bool measured, const ColdCores& cold) {
    Circumstances circumstances{measured};
    circumstances.cold = cold;
    return warnings(run, circumstances);
  };
  EXPECT_TRUE(of(sound(), true, {1.3, ""}).empty());  // nothing waits
  record::RunSummary run = sound();
  run.ranks[1].time.wait = Interval::seconds(1);
  EXPECT_TRUE(of(run, true, {1.04, "there is a reason"}).empty());
  EXPECT_TRUE(of(run, false, {1.3, ""}).empty());
  for (const std::string reason : {"", "there is a reason"}) {
    const auto found = of(run, true, {1.3, reason});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].key, "cold-cores");
    EXPECT_NE(found[0].text.find(" 30 % "), std::string::npos) << found[0].text;
    EXPECT_NE(found[0].text.find(reason.empty() ? "although idle cores are kept awake"
                                                : "kept awake: there is a reason"),
              std::string::npos)
        << found[0].text;
  }
}

TEST(Warnings, AShareIsAWholeNumberOfPercent) {
  record::RunSummary run = sound();
  run.ranks[1].time = {};
  run.ranks[1].time.poll = Interval::seconds(1);
  run.ranks[1].finish = Instant::start() + Interval::seconds(1);
  const auto found = warnings(run, {});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].text.find(" 100 % "), std::string::npos) << found[0].text;
}

TEST(Warnings, LinksThatNobodyMeasured) {
  Circumstances circumstances;
  circumstances.uncalibrated = {"fast - slow", "inside a node of fast"};
  const auto found = warnings(sound(), circumstances);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].key, "links");
  EXPECT_NE(found[0].text.find("fast - slow, inside a node of fast"), std::string::npos) << found[0].text;
}

TEST(Warnings, ValuesThatNobodyMeasuredAndThatMatter) {
  record::RunSummary run = sound();
  for (record::RankSummary& rank : run.ranks) rank.path.latencies = 1000;  // 50 ms of the second
  for (record::RankSummary& rank : run.ranks) rank.path.sends = 1000;      // 5 ms
  Circumstances circumstances;
  EXPECT_EQ(warnings(run, circumstances).size(), 0u);
  circumstances.uncalibrated_values = {
      {"network.latency", 50e-6}, {"network.send.fixed", 5e-6}, {"network.gap", 1}};
  const auto found = warnings(run, circumstances);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].key, "values");
  EXPECT_NE(found[0].text.find(": network.latency (5 % of the predicted time);"), std::string::npos)
      << found[0].text;
  EXPECT_TRUE(warnings(record::RunSummary(), circumstances).empty());
}

// Two groups of two nodes with two slots each.
Result<target::Target> two_groups(const std::string& latency, const std::string& links) {
  auto target = target::parse(
      "name = \"t\"\n[network]\nlatency = \"" + latency +
          "\"\ngap_per_byte = \"1ns\"\neager_limit = \"1KiB\"\nsend = { fixed = \"1us\", per_process = "
          "\"0us\", "
          "per_byte = \"0ns\" }\nreceive = { fixed = \"1us\", per_process = \"0us\", per_byte = \"0ns\" }\n"
          "[[node]]\nname = \"a\"\ncount = 2\nslots = 2\n[[node]]\nname = \"b\"\ncount = 2\nslots = 2\n" +
          links,
      "test");
  if (!target) ADD_FAILURE() << target.error().message;
  return target;
}

std::vector<std::string> uncalibrated(const std::string& latency, const std::string& links, int ranks) {
  const auto target = two_groups(latency, links);
  return target ? uncalibrated_links(*target, ranks) : Keys();
}

TEST(UncalibratedValues, AreThoseWithoutAnIntervalBesideOthersWithOne) {
  EXPECT_TRUE(uncalibrated_values(*two_groups("50us", "")).empty());
  // A value of 0 needs no calibration.
  const std::map<std::string, double> left = {{"network.gap_per_byte", 1e-9},
                                              {"network.poll.fixed", 1e-6},
                                              {"network.receive.fixed", 1e-6},
                                              {"network.send.fixed", 1e-6}};
  EXPECT_EQ(uncalibrated_values(*two_groups("50us +- 1us", "")), left);
  EXPECT_EQ(uncalibrated_values(*two_groups("50us +- 0us", "")), left);
}

TEST(UncalibratedLinks, AreThoseWithValuesOfTheirOwnThatTheJobHas) {
  const std::string between = "[[link]]\nfrom = \"a\"\nto = \"b\"\nlatency = \"9us\"\n";
  const std::string inside = "[[link]]\ninside = \"a\"\ngap_per_byte = \"2ns\"\n";
  const std::string same = "[[link]]\nfrom = \"a\"\nto = \"b\"\nlatency = \"50us\"\n";
  const std::string measured = "50us +- 1us";
  EXPECT_EQ(uncalibrated(measured, "", 8), Keys());
  EXPECT_EQ(uncalibrated(measured, same, 8), Keys());
  EXPECT_EQ(uncalibrated(measured, between, 8), Keys{"a - b"});
  EXPECT_EQ(uncalibrated(measured, between, 4), Keys());  // all on a
  EXPECT_EQ(uncalibrated(measured, between + inside, 8), (Keys{"inside a node of a", "a - b"}));
  EXPECT_EQ(uncalibrated("50us", between + inside, 8), Keys());  // nothing of it was
}

}  // namespace
}  // namespace emu::app
