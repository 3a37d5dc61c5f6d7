// emu study: the numbers of ranks that it runs, the optimum, and targets with other values.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "prediction/uncertainty.h"
#include "runs.h"
#include "study/curve.h"
#include "study/search.h"
#include "study/variation.h"

namespace emu::app::studies {
namespace {

// Searches the minimum of the curve `time`; returns the points that it ran.
template <class Time>
Known search(const std::vector<int>& ranks, Time time) {
  Known known;
  while (const auto next = next_of_search(ranks, known)) {
    EXPECT_FALSE(known.contains(*next)) << "the search runs " << *next << " twice";
    EXPECT_TRUE(std::binary_search(ranks.begin(), ranks.end(), *next));
    if (!known.emplace(*next, time(*next)).second) break;
  }
  return known;
}

int least(const Known& known) {
  return std::min_element(known.begin(), known.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

// All places of the optimum, and all shapes of a falling and a rising line. The result is compared with the whole
// sweep.
TEST(Search, FindsOptimumAndFlatRegionOfASweep) {
  for (double growth : {0.001, 0.01, 0.1}) {
    for (int best = 2; best <= 64; ++best) {
      const auto time = [&](int p) { return std::max(100.0 / p, 100.0 / best * (1 + growth * (p - best))); };
      const Known known = search(range(2, 64), time);
      ASSERT_EQ(least(known), best);
      EXPECT_LE(known.size(), 24u) << "optimum at " << best;
      for (int p = 2; p <= 64; ++p) {
        const double limit = time(best) * (1 + flat_share);
        const bool last_flat = time(p) <= limit && (p == 64 || time(p + 1) > limit);
        const bool first_flat = time(p) <= limit && (p == 2 || time(p - 1) > limit);
        if (last_flat || first_flat) {
          EXPECT_TRUE(known.contains(p)) << p << " ends the flat region of " << best;
        }
      }
    }
  }
}

TEST(Search, RunsFarFewerThanASweepOfMany) {
  const Known known = search(range(1, 4096), [](int p) { return 1e6 / p + 3.0 * p; });
  EXPECT_EQ(least(known), 577);
  EXPECT_LT(known.size(), 60u);
}

TEST(Search, EndsOnAnyCurve) {
  EXPECT_EQ(search({7}, [](int) { return 1.0; }).size(), 1u);
  EXPECT_EQ(search({3, 9}, [](int) { return 1.0; }).size(), 2u);
  // All equal: everything is flat, which the doublings and the neighbours of the minimum show.
  EXPECT_LT(search(range(2, 64), [](int) { return 1.0; }).size(), 20u);
  // Failures count as infinite times.
  const double failed = std::numeric_limits<double>::infinity();
  EXPECT_EQ(least(search(range(2, 64), [&](int p) { return p > 20 ? failed : 100.0 / p; })), 20);
  EXPECT_LE(search(range(2, 64), [&](int) { return failed; }).size(), 6u);
  unsigned state = 1;
  search(range(2, 300), [&](int) { return (state = state * 1664525 + 1013904223) / 4e9; });
}

// Two valleys of any depth and place, with a hill between them that the doublings show.
TEST(Search, WidensToOtherValleysThatShow) {
  for (int first = 4; first <= 12; ++first) {
    for (int second = 52; second <= 60; ++second) {
      for (double deeper : {-0.2, 0.2}) {
        const auto time = [&](int p) {
          return std::min(1.0 + 0.05 * std::abs(p - first), 1.0 + deeper + 0.05 * std::abs(p - second));
        };
        const Known known = search(range(2, 64), time);
        ASSERT_EQ(least(known), deeper < 0 ? second : first) << first << " and " << second;
        EXPECT_EQ(valleys(known).size(), 2u);
        EXPECT_LE(known.size(), 30u);
      }
    }
  }
}

TEST(Search, KnowsValleysByTheHillsBetween) {
  EXPECT_EQ(valleys({{2, 3}, {3, 1}, {4, 1.01}, {5, 1.015}, {6, 1.2}, {7, 1.1}, {8, 4}}),
            (std::vector{3, 7}));
  EXPECT_EQ(valleys({{2, 1}, {3, 1}, {4, 1}}), std::vector{2});
  const double failed = std::numeric_limits<double>::infinity();
  EXPECT_EQ(valleys({{2, 5}, {3, failed}, {4, 4}}), (std::vector{4, 2}));
  EXPECT_TRUE(valleys({{3, failed}}).empty());
  Known saw;
  for (int p = 1; p < 100; ++p) saw[p] = p % 2 ? 1 : 2;
  EXPECT_EQ(valleys(saw).size(), most_valleys);
}

TEST(Search, EstimatesWhatIsLeft) {
  const auto time = [](int p) { return 100.0 / p + p; };
  Known known;
  for (int p : {2, 4, 8, 16, 32, 64}) known[p] = time(p);
  const auto estimate = static_cast<int>(expected_of_search(range(2, 64), known, 63).size());
  const int all = static_cast<int>(search(range(2, 64), time).size());
  EXPECT_NEAR(estimate, all - 6, 4);
}

Curve curve_of(const std::vector<std::pair<int, double>>& points) {
  Curve curve;
  for (const auto& [ranks, seconds] : points) {
    Point point;
    point.ranks = ranks;
    if (seconds > 0) {
      point.runs.push_back(run_of(seconds, ranks));
    } else {
      point.failure = "failed";
    }
    curve.points.push_back(point);
  }
  return curve;
}

TEST(Optimum, NamesThoseThatAreAsGoodElsewhere) {
  const Curve curve = curve_of({{2, 4}, {3, 2}, {4, 2.01}, {5, 3}, {6, 2.03}, {7, 5}, {8, 2.05}});
  EXPECT_EQ(curve.as_good_elsewhere(*optimum(curve)), std::vector{6});
  EXPECT_TRUE(curve_of({{2, 4}, {3, 2}, {4, 2.01}}).as_good_elsewhere(*optimum(curve)).empty());
}

TEST(Optimum, CountsNoValleysThatTheSpreadOfRepeatsExplains) {
  const auto with_repeats = [](double spread) {
    Curve curve = curve_of({{2, 4}, {3, 2}, {4, 2.3}, {5, 2.1}, {6, 6}, {7, 3}});
    for (Point& point : curve.points) {
      const double mean = point.seconds();
      point.runs = {run_of(mean - spread, point.ranks), run_of(mean, point.ranks),
                    run_of(mean + spread, point.ranks)};
    }
    return curve.certain_valleys();
  };
  EXPECT_EQ(with_repeats(0.001), (std::vector{3, 5, 7}));
  EXPECT_EQ(with_repeats(0.2), (std::vector{3, 7}));
  EXPECT_EQ(with_repeats(2), std::vector{3});
}

TEST(Optimum, IsTheLeastOfTheGoodRunsAndTheFewestRanksOfEqualOnes) {
  const Curve curve = curve_of({{2, 4}, {3, 3}, {4, 2}, {5, 2}, {6, 2.04}, {7, 2.05}, {8, 2.01}, {9, 0}});
  const auto best = optimum(curve);
  ASSERT_TRUE(best);
  EXPECT_EQ(best->point->ranks, 4);
  EXPECT_EQ(best->flat, std::pair(4, 6));  // 8 is behind a break
  EXPECT_EQ(best->possible, std::pair(4, 5));
  EXPECT_FALSE(curve.interval(*best->point));
  EXPECT_FALSE(optimum(curve_of({{2, 0}, {3, 0}})));
}

// Mean and 95 % interval of 1, 2, 3: t(2) = 4.302653, s / sqrt(3) = 0.5773503.
TEST(Optimum, RepeatsGiveAnInterval) {
  Curve curve = curve_of({{2, 1}, {3, 3}, {4, 5}});
  curve.points[0].runs = {run_of(3), run_of(1), run_of(2)};
  EXPECT_DOUBLE_EQ(curve.points[0].seconds(), 2);
  EXPECT_NEAR(curve.interval(curve.points[0])->low, 2 - 2.484138, 1e-6);
  EXPECT_NEAR(curve.interval(curve.points[0])->high, 2 + 2.484138, 1e-6);
  EXPECT_DOUBLE_EQ(curve.points[0].typical().predicted().seconds(), 2);
  EXPECT_EQ(optimum(curve)->possible, std::pair(2, 3));
}

// T(P) = work / P + latencies L, with the derivatives of its path.
Curve curve_with_paths(const std::vector<std::pair<int, double>>& latencies) {
  Curve curve;
  for (const auto& [ranks, times] : latencies) {
    Point point;
    point.ranks = ranks;
    const double work = 10.0 / ranks;
    record::RunSummary run = run_of(work + times * 0.01, ranks);
    run.ranks.front().path.latencies = times;
    run.ranks.front().path.work = work * 1e12;
    point.runs.push_back(run);
    curve.points.push_back(point);
  }
  return curve;
}

TEST(Optimum, IntervalsOfTheTargetSayWhereItCanLie) {
  // 5.2, 3.93, 3.5, 3.8 and 4.07 s.
  Curve curve = curve_with_paths({{2, 20}, {3, 60}, {4, 100}, {5, 180}, {6, 240}});
  EXPECT_EQ(optimum(curve)->point->ranks, 4);
  EXPECT_EQ(optimum(curve)->possible, std::pair(4, 4));
  EXPECT_FALSE(curve.interval(curve.points[2]));
  // L +- 5 ms: of 4 ranks +- 0.5 s, but against 3 ranks, 0.43 s more, 40 latencies make 0.2 s, against 5, 0.3 s
  // more, 80 make 0.4 s, and against 6, 0.57 s more, 140 make 0.7 s.
  curve.target.uncertainties["network.latency"] = 0.005;
  EXPECT_NEAR(curve.interval(curve.points[2])->low, 3.0, 1e-9);
  EXPECT_NEAR(curve.interval(curve.points[2])->high, 4.0, 1e-9);
  EXPECT_EQ(optimum(curve)->possible, std::pair(4, 6));
  // Work that is equal for all numbers of ranks would have no effect; here 4 ranks have 2.5 s of it, 3 have 3.33 s: 60
  // % of the difference are 0.5 s, and with the 0.2 s above the root of 0.29.
  curve.target.uncertainties["node.speed"] = 0.6;
  EXPECT_EQ(optimum(curve)->possible, std::pair(3, 6));
  EXPECT_NEAR(uncertainty_of_difference(curve.points[1].typical(), curve.points[2].typical(),
                                        curve.target.uncertainties)
                  .likely,
              std::sqrt(0.29), 1e-9);
  EXPECT_NEAR(uncertainty(curve.points[2].typical(), curve.target.uncertainties).worst, 0.5 + 1.5, 1e-9);
  EXPECT_NEAR(uncertainty(curve.points[2].typical(), curve.target.uncertainties).likely,
              std::sqrt(0.25 + 2.25), 1e-9);
}

TEST(Vary, MakesEveryCombination) {
  const auto none = parse_variations({});
  ASSERT_TRUE(none);
  ASSERT_EQ(none->size(), 1u);
  EXPECT_EQ(none->front().label(), "");
  const auto some = parse_variations({"network.latency=10us,50us", "node.speed=1,2"});
  ASSERT_TRUE(some);
  ASSERT_EQ(some->size(), 4u);
  EXPECT_EQ((*some)[1].label(), "network.latency=10us node.speed=2");
  for (const char* bad : {"", "x", "=1", "x=", "x=1,", "x=,1", "x=1,1"})
    EXPECT_FALSE(parse_variations({bad})) << bad;
  EXPECT_FALSE(parse_variations({"x=1", "x=2"}));
}

constexpr const char* two_groups =
    "name = \"two\"\n[network]\nlatency = \"50us\"\ngap_per_byte = \"1ns\"\neager_limit = \"64KiB\"\n"
    "[network.send]\nfixed = \"1us\"\nper_process = \"0us\"\nper_byte = \"0us\"\n[network.receive]\nfixed = "
    "\"1us\"\nper_process = \"0us\"\nper_byte = \"0us\"\n[[node]]\ncount = 2\n[[node]]\ncount = 3\nspeed = "
    "0.5\n";

Result<target::Target> varied(const std::string& option) {
  const auto variations = parse_variations({option});
  if (!variations) return tl::unexpected(variations.error());
  const auto text = apply(variations->front(), two_groups, "two");
  if (!text) return tl::unexpected(text.error());
  return target::parse(*text, "two");
}

TEST(Vary, ReplacesAnyKey) {
  EXPECT_EQ(varied("network.latency=10us")->network.latency, Interval::picoseconds(10'000'000));
  EXPECT_EQ(varied("network.gap=3us")->network.gap, Interval::picoseconds(3'000'000));  // not given before
  EXPECT_EQ(varied("network.send.fixed=2us")->network.send.fixed, Interval::picoseconds(2'000'000));
  EXPECT_EQ(varied("network.poll.fixed=2us")->network.poll, Interval::picoseconds(2'000'000));
  EXPECT_EQ(varied("name=12")->name, "12");  // text remains text
  EXPECT_EQ(varied("node[1].speed=2.5")->speed(0, 1).fastest(), 1'000'000'000);
  EXPECT_EQ(varied("node.count=7")->slots(), 14);
  EXPECT_EQ(varied("node[1].count=7")->slots(), 9);
  EXPECT_EQ(varied("node.speed=2.5")->speed(4, 5).fastest(), 2'500'000'000);
  EXPECT_EQ(varied("compute=declared")->compute, target::Compute::declared);
  EXPECT_EQ(varied("network.latency=50us")->network.latency, Interval::picoseconds(50'000'000));
}

TEST(Vary, WhatIsWrongInSeveralGroupsIsSaidOnce) {
  const auto target = varied("node.speed=0");
  ASSERT_FALSE(target);
  const std::string message = without_lines(target.error(), "two").value().message;
  EXPECT_EQ(message.substr(0, 44), "two: node.speed: invalid number: 0 (expected");
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

TEST(Vary, RefusesWhatIsNoKey) {
  for (const char* bad :
       {"network.latenzy=1us", "latency=1us", "network.latency=fast", "node[2].speed=1", "node[x].speed=1",
        "node[].speed=1", "name.x=1", "network[0].latency=1us", "node=1", "..=1", "network.=1"})
    EXPECT_FALSE(varied(bad)) << bad;
}

}  // namespace
}  // namespace emu::app::studies
