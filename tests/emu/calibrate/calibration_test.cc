// emu calibrate: from measurements to parameters, without measuring.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <random>
#include <regex>

#include "calibrate/fit.h"
#include "calibrate/write.h"
#include "target/target.h"
#include "truth.h"

namespace emu::app::calibration {
namespace {

void expect_near(const Fit& fit, const Truth& truth, double share) {
  EXPECT_NEAR(fit.latency.value, truth.latency, share * truth.latency);
  EXPECT_NEAR(fit.gap_per_byte.value, truth.per_byte, share * truth.per_byte);
  const std::pair<const Overhead*, const double*> overheads[] = {{&fit.send, truth.send},
                                                                 {&fit.receive, truth.receive}};
  for (const auto& [overhead, values] : overheads) {
    EXPECT_NEAR(overhead->fixed.value, values[0], share * values[0]);
    EXPECT_NEAR(overhead->per_process.value, values[1], share * values[1]);
    EXPECT_NEAR(overhead->per_byte.value, values[2], share * values[2]);
  }
  EXPECT_NEAR(fit.poll.value, truth.poll, share * truth.poll);
  EXPECT_NEAR(fit.speed.value, 0.003 / truth.kernel, share);
}

TEST(Calibration, FindsExactValuesExactly) {
  Truth truth;
  const auto found = fit(measured(truth, exact), 0.003);
  ASSERT_TRUE(found) << found.error().message;
  expect_near(*found, truth, 1e-6);
  EXPECT_EQ(found->eager_limit, 65536);
  EXPECT_EQ(found->gap.value, 0);
  ASSERT_TRUE(found->handshake);
  EXPECT_NEAR(found->handshake->value, 150e-6, 1e-9);
  EXPECT_FALSE(found->serial);
}

TEST(Calibration, FindsTheTripsOfAHandshake) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> off(-0.002, 0.002);
  for (int trips : {1, 2, 4, 5}) {
    Truth truth;
    truth.trips = trips;
    const auto found = fit(measured(truth, [&](double s) { return s * (1 + off(random)); }), 0.003);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->handshake_trips, std::max(2, trips));
    const auto target = target::parse(to_toml(*found, {"x", 4, 1.0, ""}), "x");
    ASSERT_TRUE(target) << target.error().message;
    EXPECT_EQ(target->network.handshake_trips, std::max(2, trips));
  }
}

TEST(Calibration, KeepsToTwoTripsWhereMoreCannotBeTold) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> off(-0.03, 0.03);
  Truth truth;
  truth.per_byte *= 10;  // so that long messages take hundreds of latencies
  truth.trips = 4;
  const auto found = fit(measured(truth, [&](double s) { return s * (1 + off(random)); }), 0.003);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->handshake_trips, 2);
  EXPECT_GT(found->trips.high, 4);
  const std::string text = to_toml(*found, {"x", 4, 1.0, ""});
  EXPECT_NE(text.find("the number of trips of a handshake is uncertain"), std::string::npos) << text;
}

TEST(Calibration, FindsGapAndSerialCards) {
  Truth truth;
  truth.gap = 100e-6;
  truth.serial = true;
  const auto found = fit(measured(truth, exact), 0.003);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_NEAR(found->gap.value, 100e-6, 1e-9);
  EXPECT_TRUE(found->serial);
  truth.per_byte = 1e-9;  // overheads are longer, so it cannot be measured
  const auto neither = fit(measured(truth, exact), 0.003);
  ASSERT_TRUE(neither) << neither.error().message;
  EXPECT_FALSE(neither->serial);
  EXPECT_EQ(neither->notes.size(), 1u);
}

// Missing terms are written as 0, not as the result of rounding; and no value is below 0.
TEST(Calibration, WritesZeroForWhatIsNotThere) {
  Truth truth;
  truth.send[1] = truth.receive[1] = truth.receive[2] = 0;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> off(-0.01, 0.01);
  for (const auto& noise :
       {std::function<double(double)>(exact), std::function<double(double)>([&](double s) {
          return std::round(s * (1 + off(random)) * 1e12) / 1e12;
        })}) {
    const auto found = fit(measured(truth, noise), 0.003);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->send.per_process.value, 0);
    EXPECT_EQ(found->receive.per_process.value, 0);
    EXPECT_EQ(found->receive.per_byte.value, 0);
    EXPECT_NEAR(found->send.fixed.value, truth.send[0], 0.02 * truth.send[0]);
  }
}

TEST(Calibration, FindsThatMessagesCostNoTime) {
  Truth truth;
  for (int i = 0; i < 3; ++i) truth.send[i] = truth.receive[i] = 0;
  const auto found = fit(measured(truth, exact), 0.003);
  ASSERT_TRUE(found) << found.error().message;
  expect_near(*found, truth, 1e-6);
}

// 3 % noise, one sample in five much too long, and one size at which everything takes four times as long.
TEST(Calibration, IsRobust) {
  Truth truth;
  std::mt19937 random(7);
  std::normal_distribution<double> off(0, 0.03);
  std::uniform_real_distribution<double> share;
  auto all =
      measured(truth, [&](double s) { return s * (1 + off(random)) * (share(random) < 0.2 ? 10 : 1); });
  for (Measurement& measurement : all)
    for (Sample& sample : measurement.samples)
      if (sample.bytes == 512)
        for (double& s : sample.seconds) s *= 4;
  const auto found = fit(all, 0.003);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_NEAR(found->latency.value, truth.latency, 0.05 * truth.latency);
  EXPECT_NEAR(found->gap_per_byte.value, truth.per_byte, 0.03 * truth.per_byte);
  EXPECT_NEAR(found->send.fixed.value, truth.send[0], 0.1 * truth.send[0]);
  EXPECT_NEAR(found->receive.per_process.value, truth.receive[1], 0.1 * truth.receive[1]);
  EXPECT_LT(found->latency.low, truth.latency);
  EXPECT_GT(found->latency.high, truth.latency);
}

// Each run deviates as a whole by a few percent. This deviation must not appear as positive or negative growth with P.
TEST(Calibration, TellsGrowthFromRunsThatDiffer) {
  Truth truth;
  truth.send[1] = truth.receive[1] = 0;
  std::vector<Measurement> all;
  for (const auto& [ranks, share] : {std::pair(2, 1.1), std::pair(3, 0.95), std::pair(4, 0.97)})
    all.push_back(measured(truth, ranks, [share = share](double s) { return s * share; }));
  const auto found = fit(all, 0.003);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->send.per_process.value, 0);
  EXPECT_GT(found->send.per_process.high, 0);
}

std::string refused(const std::vector<Measurement>& all) {
  const auto found = fit(all, 0.003);
  return found ? "accepted" : found.error().message;
}

TEST(Calibration, RefusesWhatNoNetworkHas) {
  Truth truth;
  truth.latency = -5e-6;  // sends and receives overlap
  EXPECT_NE(refused(measured(truth, exact)).find("invalid latency: -5 us"), std::string::npos)
      << refused(measured(truth, exact));
  truth = Truth();
  truth.per_byte = -1e-9;
  EXPECT_NE(refused(measured(truth, exact)).find("invalid gap per byte: "), std::string::npos);
  truth = Truth();
  truth.send[1] = -0.2e-6;
  EXPECT_NE(refused(measured(truth, exact)).find("send overhead, per process"), std::string::npos);
  truth = Truth();
  for (const double limit : {0, 16}) {
    truth.limit = limit;
    EXPECT_NE(refused(measured(truth, exact)).find("raise MPICH's eager limit"), std::string::npos)
        << refused(measured(truth, exact));
  }
  std::vector<Measurement> two = measured(Truth(), exact);
  two.pop_back();
  EXPECT_NE(refused(two).find("three numbers of ranks"), std::string::npos);
}

TEST(Calibration, WritesOverheadsThatFallWithTheRanksWithoutGrowth) {
  Truth truth;
  truth.send[1] = -0.2e-6;
  const auto all = measured(truth, exact);
  EXPECT_TRUE(repeats_may_help(all, 0.003));
  const auto found = fit(all, 0.003, Scatter::widened);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->send.per_process.value, 0);
  EXPECT_EQ(found->send.per_process.low, 0);
  EXPECT_GE(found->send.per_process.high, 0.2e-6 * 0.999);
  EXPECT_LT(found->send.fixed.value, truth.send[0]);
  ASSERT_FALSE(found->notes.empty());
  EXPECT_NE(found->notes.front().find("send overhead: it fell with the number of ranks"), std::string::npos);
  EXPECT_NEAR(found->receive.per_process.value, truth.receive[1], 1e-9);
}

TEST(Calibration, GivesIntervalsOfWarmBuffers) {
  const auto text = [](double noise) {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> share(1 - noise, 1 + noise);
    std::vector<Measurement> all = measured(Truth(), exact);
    for (Measurement& measurement : all) {
      measurement.cold = true;
      std::vector<Sample> added;
      for (const char* kind : {"send", "receive"})
        for (const Sample* sample : measurement.all(kind)) {
          Sample warm = *sample;
          warm.kind = std::string("warm-") + kind;
          for (double& seconds : warm.seconds) seconds *= share(random) / 2;
          added.push_back(warm);
        }
      measurement.samples.insert(measurement.samples.end(), added.begin(), added.end());
    }
    const auto found = fit(all, 0.003);
    return found ? to_toml(*found, {"x", 4, 1.0, ""}) : found.error().message;
  };
  EXPECT_NE(text(0).find("With warm ones: send.per_byte 1000 ps, receive.per_byte 1500 ps."),
            std::string::npos)
      << text(0);
  const std::regex with_interval(
      "With warm ones: send.per_byte [0-9.]+ ps \\([0-9.]+ to [0-9.]+\\), receive");
  EXPECT_TRUE(std::regex_search(text(0.3), with_interval)) << text(0.3);
}

TEST(Calibration, RefusesNoise) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> share;
  std::vector<Measurement> all = measured(Truth(), exact);
  for (Measurement& measurement : all)
    for (Sample& sample : measurement.samples)
      sample.seconds = {sample.median() * std::exp(4 * share(random))};
  EXPECT_NE(refused(all).find("off the fitted line"), std::string::npos) << refused(all);
}

// Half of the points are near the line, but few of them determine G.
TEST(Calibration, RepeatsPoolTheSamples) {
  const Truth truth;
  Measurement one = measured(truth, 2, exact);
  const std::size_t samples = one.samples.size(), times = one.samples.front().seconds.size();
  Measurement more = measured(truth, 2, exact);
  more.samples.push_back({"another", 1, {1.0}});
  add(one, more);
  EXPECT_EQ(one.samples.size(), samples + 1);
  EXPECT_EQ(one.samples.front().seconds.size(), 2 * times);
}

// Exact measurements, but those of receives are far too long or too short.
std::vector<Measurement> scattered_receives(const Truth& truth) {
  std::vector<Measurement> scattered = measured(truth, exact);
  std::mt19937 random(3);
  for (Measurement& m : scattered)
    for (Sample& sample : m.samples)
      if (sample.kind == "receive") {
        const double off = random() % 2 ? 1.7 : 0.4;
        for (double& seconds : sample.seconds) seconds *= off;
      }
  return scattered;
}

TEST(Calibration, RepeatsHelpAgainstScatterAlone) {
  Truth truth;
  EXPECT_FALSE(repeats_may_help(measured(truth, exact), 0.003));
  const std::vector<Measurement> scattered = scattered_receives(truth);
  EXPECT_TRUE(repeats_may_help(scattered, 0.003));
  truth.latency = -5e-6;  // no number of samples makes it a valid network
  EXPECT_FALSE(repeats_may_help(measured(truth, exact), 0.003));
}

TEST(Calibration, WidensTheIntervalsOfWhatStillScatters) {
  const Truth truth;
  const std::vector<Measurement> scattered = scattered_receives(truth);
  ASSERT_FALSE(fit(scattered, 0.003));
  const auto found = fit(scattered, 0.003, Scatter::widened);
  ASSERT_TRUE(found) << found.error().message;
  const Value& fixed = found->receive.fixed;
  EXPECT_LE(fixed.low, 0.75 * fixed.value);
  EXPECT_GE(fixed.high, 1.25 * fixed.value);
  ASSERT_FALSE(found->notes.empty());
  bool said = false;
  for (const std::string& note : found->notes) said |= note.find("receive overhead: half of the points") == 0;
  EXPECT_TRUE(said);
}

TEST(Calibration, RefusesWhatIsHardlyKnown) {
  std::mt19937 random(5);
  std::normal_distribution<double> off(0, 0.25);
  std::vector<Measurement> all = measured(Truth(), exact);
  for (Measurement& measurement : all) {
    std::erase_if(measurement.samples, [](const Sample& s) { return s.kind == "round" && s.bytes > 1024; });
    for (Sample& sample : measurement.samples)
      if (sample.kind == "round") sample.seconds = {sample.median() * std::exp(off(random))};
  }
  EXPECT_NE(refused(all).find("uncertain gap per byte: "), std::string::npos) << refused(all);
  EXPECT_EQ(refused(all).find("off the fitted line"), std::string::npos) << refused(all);
}

TEST(Calibration, WritesAValidTarget) {
  Truth truth;
  truth.gap = 100e-6;
  truth.serial = true;
  const auto found = fit(measured(truth, exact), 0.003);
  ASSERT_TRUE(found);
  const std::string text = to_toml(*found, {"a \"name\" with \\", 5, 1.25, "How."});
  const auto target = target::parse(text, "written");
  ASSERT_TRUE(target) << target.error().message << "\n" << text;
  EXPECT_EQ(target->name, "a \"name\" with \\");
  EXPECT_EQ(target->slots(), 5);
  EXPECT_EQ(target->network.latency, Interval::picoseconds(50'000'000));
  EXPECT_EQ(target->network.gap, Interval::picoseconds(100'000'000));
  EXPECT_EQ(target->network.eager_limit, 65536);
  EXPECT_EQ(target->network.gap_per_byte, Rate::femtoseconds_per_byte(80'000'000));
  EXPECT_EQ(target->network.card, model::Card::serial);
  EXPECT_EQ(target->network.receive.per_process, Interval::picoseconds(300'000));
}

TEST(Calibration, WritesIntervalsThatTheTargetHas) {
  std::mt19937 random(7);
  std::normal_distribution<double> off(0, 0.02);
  const auto found = fit(measured(Truth(), [&](double s) { return s * (1 + off(random)); }), 0.003);
  ASSERT_TRUE(found) << found.error().message;
  const auto target = target::parse(to_toml(*found, {"x", 4, 1.0, ""}), "x");
  ASSERT_TRUE(target) << target.error().message;
  const auto half = [](const Value& v) { return (v.high - v.low) / 2; };
  EXPECT_NEAR(target->uncertainties.at("network.latency"), half(found->latency), 1e-12);
  EXPECT_NEAR(target->uncertainties.at("network.gap_per_byte"), half(found->gap_per_byte), 1e-15);
  EXPECT_NEAR(target->uncertainties.at("network.receive.fixed"), half(found->receive.fixed), 1e-12);
  EXPECT_NEAR(target->uncertainties.at("network.send.per_byte"), half(found->send.per_byte), 1e-15);
  EXPECT_NEAR(target->network.latency.seconds(), found->latency.value, 1e-12);
  // The minimum and the maximum of three are at different distances.
  const Value& speed = found->speed;
  EXPECT_NEAR(target->uncertainties.at("node.speed") * speed.value,
              std::max(speed.high - speed.value, speed.value - speed.low), 1e-4);
}

TEST(Calibration, RefusesFilesThatAreNoMeasurement) {
  const std::string path = testing::TempDir() + "calibration-test-" + std::to_string(::getpid());
  const std::string good =
      R"({"ranks": 2, "two_machines": false, "eager_limit": 5, "samples": [{"kind": "poll", "bytes": 0, "seconds": [1]}]})";
  const auto read = [&](const std::string& text) {
    std::ofstream(path) << text;
    return read_measurement(path);
  };
  EXPECT_TRUE(read(good));
  EXPECT_TRUE(read(
      R"({"ranks": 2, "two_machines": false, "eager_limit": 5, "samples": [{"kind": "train", "bytes": 9, "seconds": [-1]}]})"))
      << "a difference of two times";
  for (std::size_t length = 0; length < good.size(); ++length)
    EXPECT_FALSE(read(good.substr(0, length))) << length;
  for (
      const char* bad :
      {"[]", "{}", "7", R"({"ranks": 1, "two_machines": false, "eager_limit": 5, "samples": []})",
       R"({"ranks": 2, "two_machines": 0, "eager_limit": 5, "samples": []})",
       R"({"ranks": 2, "two_machines": false, "eager_limit": 5, "samples": [{"kind": "poll", "bytes": 0, "seconds": []}]})",
       R"({"ranks": 2, "two_machines": false, "eager_limit": 5, "samples": [{"kind": "poll", "bytes": 0, "seconds": [-1]}]})"})
    EXPECT_FALSE(read(bad)) << bad;
  EXPECT_FALSE(read_measurement("/nowhere/x"));
  std::remove(path.c_str());
}

}  // namespace
}  // namespace emu::app::calibration
