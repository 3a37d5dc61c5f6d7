// Measured and predicted times: the value of the target that explains their difference.
#include "study/measured.h"

#include <gtest/gtest.h>

#include <fstream>

#include "runs.h"

namespace emu::app::studies {
namespace {

// Work of 8 s / P, P messages one after another, with 10 kB each.
Curve curve(double latency, double overhead) {
  Curve curve;
  curve.target.network.latency = Interval::seconds(latency);
  curve.target.network.send.fixed = Interval::seconds(overhead);
  curve.target.nodes.resize(1);
  for (const int ranks : {2, 4, 8, 16}) {
    Point point;
    point.ranks = ranks;
    const double work = 8.0 / ranks;
    record::RunSummary run = run_of(work + ranks * latency + 3 * overhead, ranks);
    for (record::RankSummary& rank : run.ranks) {
      rank.path.work = 1e12 * work;
      rank.path.latencies = ranks;
      rank.path.sends = 3;
      rank.path.gap_bytes = 10'000;
    }
    point.runs.push_back(run);
    curve.points.push_back(point);
  }
  return curve;
}

MeasuredTimes times(double work, double latency) {
  MeasuredTimes result;
  for (const int ranks : {2, 4, 8, 16}) result[ranks] = work / ranks + ranks * latency;
  return result;
}

TEST(Measured, AConstantFactorIsTheSpeed) {
  const auto found = compare(curve(0.001, 0), times(12, 0.001));
  ASSERT_TRUE(found);
  ASSERT_FALSE(found->suspects.empty());
  EXPECT_EQ(found->suspects.front().key, "node.speed");
  EXPECT_NEAR(found->suspects.front().other, 1 / 1.5, 0.2);
  EXPECT_GT(found->suspects.front().explains, 0.99);
}

TEST(Measured, WhatGrowsWithTheRanksIsWhatThePathHasMoreOf) {
  const auto found = compare(curve(0.001, 0), times(8, 0.1));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->suspects.front().key, "network.latency");
  EXPECT_NEAR(found->suspects.front().other, 0.1, 1e-6);
  EXPECT_NEAR(found->suspects.front().explains, 1, 1e-6);
  EXPECT_NE(in_words(*found).find("The difference looks like a cost of each message on its way: the latency: "
                                  "network.latency 100 ms in place of 1 ms would explain 100 % of it."),
            std::string::npos)
      << in_words(*found);
}

TEST(Measured, AValueDoesNotFallBelowZero) {
  const auto found = compare(curve(0.001, 0.2), times(4, 0));
  ASSERT_TRUE(found);
  for (const Suspect& s : found->suspects) EXPECT_GE(s.other, 0) << s.key;
}

TEST(Measured, NothingIsNamedWhereNothingIsWrong) {
  const auto found = compare(curve(0.001, 0), times(8, 0.001));
  EXPECT_NEAR(found->median_error, 0, 1e-9);
  EXPECT_EQ(in_words(*found).find("looks like"), std::string::npos);
}

TEST(Measured, OnlyWhatRanIsCompared) {
  MeasuredTimes measured = times(8, 0.001);
  measured[32] = 1;
  const auto found = compare(curve(0.001, 0), measured);
  EXPECT_EQ(found->rows.size(), 4u);
  EXPECT_EQ(found->not_run, std::vector<int>{32});
  EXPECT_FALSE(compare(curve(0.001, 0), {{32, 1.0}}));
}

TEST(Measured, FilesAreRead) {
  const std::string file = testing::TempDir() + "measured.csv";
  const auto read = [&](const std::string& text) {
    std::ofstream(file) << text;
    return read_measured(file);
  };
  const auto good = read("ranks,seconds,remark\n4,2.5,a\n4,1.5,b\n4,2,c\n\n8,1\n");
  ASSERT_TRUE(good) << good.error().message;
  EXPECT_EQ(*good, (MeasuredTimes{{4, 2.0}, {8, 1.0}}));
  const auto of_windows = read("ranks,seconds,remark\r\n4,2\r\n\r\n8,1,a remark\r\n");
  ASSERT_TRUE(of_windows) << of_windows.error().message;
  EXPECT_EQ(*of_windows, *good);
  const auto refused = [&](const std::string& text, const std::string& what) {
    const auto wrong = read(text);
    ASSERT_FALSE(wrong) << text;
    EXPECT_NE(wrong.error().message.find(what), std::string::npos) << wrong.error().message;
  };
  refused("", ":1: expected the line ranks,seconds");
  refused("P,s\n4,1\n", ":1: expected the line ranks,seconds");
  refused("ranks,seconds\n", "has no times");
  refused("ranks,seconds\n4;1\n", ":2: invalid time: '4;1'");
  refused("ranks,seconds\n4,\n", ":2: invalid time: '4,'");
  refused("ranks,ms\n4,1\n", ":1: expected the line ranks,seconds");
  refused("ranks;seconds\n4;1,5\n", ":2: invalid time: '4;1,5'");
  refused("ranks,seconds\n4,1,5\n", ":2: invalid time: '4,1,5'");  // a decimal comma is no further column
  refused("ranks,seconds\n4,100ms\n", ":2: invalid time: '4,100ms'");
  refused("ranks,seconds\n0,1\n", ":2: invalid time");
  refused("ranks,seconds\n4,0\n", ":2: invalid time");
  for (const std::string same :
       {"\xef\xbb\xbf\"ranks\",\"seconds\"\n\"4\",\"2\"\n8,1\n", "ranks;seconds\r\n8;1\r\n4;2\r\n",
        "ranks\tseconds\n4\t2\n8\t1\n", "# by hand\n ranks , seconds \n# of Monday\n 4 , 2.0 \n8, 1e0\n"}) {
    const auto times = read(same);
    ASSERT_TRUE(times) << same << times.error().message;
    EXPECT_EQ(*times, *good) << same;
  }
  EXPECT_FALSE(read_measured("/nowhere/x"));
}

}  // namespace
}  // namespace emu::app::studies
