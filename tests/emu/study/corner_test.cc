// Possible places of the optimum, by runs at the ends of the intervals of the target's values.
#include "study/corner.h"

#include <gtest/gtest.h>

#include "runs.h"

namespace emu::app::studies {
namespace {

Point point(int ranks, double seconds, double latencies = 0, double sends = 0) {
  Point result;
  result.ranks = ranks;
  record::RunSummary run = run_of(seconds, ranks);
  for (record::RankSummary& rank : run.ranks) {
    rank.path.latencies = latencies;
    rank.path.sends = sends;
  }
  result.runs.push_back(run);
  return result;
}

// The minimum is at 8 ranks. More ranks have fewer latencies and more sends.
Curve curve() {
  Curve curve;
  curve.points = {point(2, 4, 500, 5), point(4, 3, 400, 10), point(8, 2, 300, 20), point(16, 3, 200, 20),
                  point(32, 3, 300, 40)};
  curve.target.uncertainties = {{"network.latency", 0.001}, {"network.send.fixed", 0.01}, {"network.gap", 1}};
  return curve;
}

std::vector<int> all_next(const Curve& curve, Corner corner, const std::vector<int>& ranks, bool search,
                          double (*time)(int)) {
  std::vector<int> order;
  for (;;) {
    const std::vector<int> next = next_of_corner(curve, corner, ranks, search);
    if (next.empty() || order.size() > 100) return order;
    order.push_back(next.front());
    corner.points.push_back(point(next.front(), time(next.front())));
  }
}

TEST(Corner, EndsFavourTheNumberOfRanksThatTheyBringNearest) {
  // The difference to 32 ranks moves by 20 sends, 0.2 s; that to 16 ranks by 100 latencies, 0.1 s; the larger move
  // counts.
  const auto more = direction(curve(), true), fewer = direction(curve(), false);
  ASSERT_TRUE(more && fewer);
  EXPECT_EQ(more->ends, (Ends{{"network.send.fixed", -0.01}}));
  EXPECT_EQ(more->ranks, 32);
  // To 4 ranks: 100 latencies and 10 sends, 0.2 s; to 2 ranks: 200 and 15, 0.35 s, but those are 1 s later.
  EXPECT_EQ(fewer->ends, (Ends{{"network.latency", -0.001}, {"network.send.fixed", 0.01}}));
  EXPECT_EQ(fewer->ranks, 4);
  Curve exact = curve();
  exact.target.uncertainties = {{"network.gap", 1}};  // does not distinguish points
  EXPECT_FALSE(direction(exact, true));
  exact = curve();
  exact.points.resize(3);  // the optimum is the last point
  EXPECT_FALSE(direction(exact, true));
  EXPECT_TRUE(direction(exact, false));
}

TEST(Corner, TurnsWhereRunsAtTheEndsShowTheOpposite) {
  const Ends ends = {{"network.latency", -0.001}, {"network.send.fixed", -0.01}};
  const Uncertainties intervals = curve().target.uncertainties;
  EXPECT_EQ(turned(ends, point(4, 3, 40, 10), point(8, 3, 30, 5), intervals), ends);
  EXPECT_EQ(turned(ends, point(4, 3, 40, 10), point(8, 3, 30, 70), intervals),
            (Ends{{"network.latency", -0.001}, {"network.send.fixed", 0.01}}));
  EXPECT_EQ(turned(ends, point(4, 3, 40, 10), point(8, 3, 40, 10), intervals), ends);  // undecidable
}

TEST(Corner, RunsWhatRanFromTheOptimumOnAndAFewBetween) {
  const auto falls = [](int ranks) { return 100.0 / ranks; };
  const auto best_at_12 = [](int ranks) { return 1.0 + std::abs(ranks - 12); };
  Corner more{true, {}, {}}, fewer{false, {}, {}};
  EXPECT_EQ(all_next(curve(), more, range(2, 32), false, falls), (std::vector<int>{8, 16, 32}));
  EXPECT_EQ(all_next(curve(), fewer, range(2, 32), false, falls), (std::vector<int>{8, 4, 2}));
  EXPECT_EQ(all_next(curve(), more, range(2, 32), true, falls), (std::vector<int>{8, 16, 32, 24, 28, 30}));
  EXPECT_EQ(all_next(curve(), more, range(2, 32), true, best_at_12),
            (std::vector<int>{8, 16, 32, 12, 14, 10}));
  EXPECT_EQ(all_next(curve(), fewer, {2, 4, 8}, true, falls), (std::vector<int>{8, 4, 2}));
}

TEST(Corner, WidensWhereTheOptimumCanLie) {
  Curve narrow = curve();
  EXPECT_EQ(optimum(narrow)->possible, std::pair(8, 8));
  narrow.corners.push_back({true, {}, {point(8, 2), point(16, 1.9), point(32, 2.5)}});
  EXPECT_EQ(optimum(narrow)->possible, std::pair(8, 16));
  EXPECT_EQ(optimum(narrow)->first_order, std::pair(8, 8));
  narrow.corners.push_back({false, {}, {point(4, 2), point(8, 2.1)}});
  EXPECT_EQ(optimum(narrow)->possible, std::pair(4, 16));
  // With the spread of the runs: 32 ranks take 2.2 s +- 2.48 s.
  narrow.corners[0].points[2].runs = {run_of(1.2, 32), run_of(2.2, 32), run_of(3.2, 32)};
  EXPECT_EQ(optimum(narrow)->possible, std::pair(4, 32));
  // A corner without a successful point has no information.
  Point failed;
  failed.ranks = 2;
  failed.failure = "failed";
  narrow.corners.push_back({false, {}, {failed}});
  EXPECT_EQ(optimum(narrow)->possible, std::pair(4, 32));
}

constexpr const char* target_text = R"(
name = "two"
host_speed = "0.5 +- 0.1"
[network]
latency = "50us +- 1us"
gap_per_byte = "100MB/s +- 1%"
eager_limit = "64KiB"
send = { fixed = "1us +- 2us", per_process = "0us", per_byte = "0us" }
receive = { fixed = "1us", per_process = "0us", per_byte = "0us" }
[[node]]
name = "a"
count = 2
[[node]]
count = 3
speed = "2 +- 0.1"
[[link]]
from = "a"
to = "a"
latency = "7us"
[link.send]
fixed = "5us"
)";

TEST(Corner, MovesValuesInTheirTablesAndInLinks) {
  const Ends ends = {{"network.latency", 1e-6},
                     {"network.gap_per_byte", -1e-10},
                     {"network.send.fixed", -2e-6},
                     {"node.speed", 0.05},
                     {"host_speed", -0.2}};
  ASSERT_TRUE(target::parse(target_text, "two"));
  const auto text = moved(ends, target_text, "two");
  ASSERT_TRUE(text);
  const auto target = target::parse(*text, "two");
  ASSERT_TRUE(target) << target.error().message;
  EXPECT_EQ(target->network.latency, Interval::picoseconds(51'000'000));
  EXPECT_EQ(target->network.gap_per_byte.femtoseconds_per_byte(), 9'900'000);
  EXPECT_EQ(target->network.send.fixed, Interval());  // not below 0
  EXPECT_EQ(target->network.receive.fixed, Interval::picoseconds(1'000'000));
  EXPECT_EQ(target->between[0].latency, Interval::picoseconds(8'000'000));
  EXPECT_EQ(target->between[0].send.fixed, Interval::picoseconds(3'000'000));
  EXPECT_EQ(target->between[1].latency, Interval::picoseconds(51'000'000));
  EXPECT_DOUBLE_EQ(target->nodes[0].speed, 1.05);
  EXPECT_DOUBLE_EQ(target->nodes[1].speed, 2.1);
  EXPECT_DOUBLE_EQ(target->host_speed, 0.4);
}

}  // namespace
}  // namespace emu::app::studies
