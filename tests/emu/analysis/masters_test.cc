// The only master of a run, found from the totals of its ranks. By exchanges: tasks_test.cc.
#include "analysis/masters.h"

#include <gtest/gtest.h>

#include "../study/runs.h"

namespace emu::analysis {
namespace {

TEST(OnlyMaster, IsRecognisedByWhatIsSentAndComputed) {
  const auto job = only_master(farm(1, 0.5, 0.5, 300, {{1, 0.9}, {1, 0.8}, {1, 0.7}}, 7));
  ASSERT_TRUE(job);
  EXPECT_EQ(job->rank, 0);
  EXPECT_EQ(job->slaves, 3);
  EXPECT_EQ(job->results, 300);
  EXPECT_EQ(job->tasks, 303);
  EXPECT_DOUBLE_EQ(job->result_bytes, 7);
  EXPECT_DOUBLE_EQ(job->task_bytes, 7);
  EXPECT_NEAR(job->slaves_work, 2.4, 1e-9);

  record::RunSummary ring;  // all ranks send equally
  for (int i = 0; i < 8; ++i) ring.ranks.push_back(rank(1, 0.5, 0.1, 0.1, 100, 100));
  EXPECT_FALSE(only_master(ring));
  EXPECT_FALSE(only_master(run_of(1, 4)));  // no rank sends
  record::RunSummary pair = farm(1, 0.1, 0.1, 100, {{1, 0.7}});
  std::swap(pair.ranks[0], pair.ranks[1]);
  ASSERT_TRUE(only_master(pair));
  EXPECT_EQ(only_master(pair)->rank, 1);
  for (record::RankSummary& each : pair.ranks) each.time.compute = Interval::seconds(0.5);
  pair.ranks[0].time.compute = Interval::seconds(0.7);
  EXPECT_FALSE(only_master(pair)) << "both work";
}

// As with single exchanges, the work for one task counts: a rank that computes longer than any of its many slaves may
// be a master.
TEST(OnlyMaster, ComputesFarLessThanItsSlavesDoForIt) {
  record::RunSummary run = farm(1, 0.2, 0.2, 900, std::vector<std::pair<double, double>>(9, {1, 0.2}));
  run.ranks[0].time.compute = Interval::seconds(0.5);
  EXPECT_TRUE(only_master(run));  // 0.5 s of 1.8 s
  run.ranks[0].time.compute = Interval::seconds(0.6);
  run.ranks[0].time.wait = Interval::seconds(0.3);
  EXPECT_FALSE(only_master(run));
}

// A master without free time, because of its own work or actions between polls, holds the slaves up.
TEST(OnlyMaster, IsNeverFreeWhileItsSlavesWait) {
  const auto busy = [](double compute, double wait, double poll) {
    record::RunSummary run = farm(1, 0.1, 0.1, 900, std::vector<std::pair<double, double>>(9, {1, 0.2}));
    run.ranks[0].time.compute = Interval::seconds(compute);
    run.ranks[0].time.wait = Interval::seconds(wait);
    run.ranks[0].time.poll = Interval::seconds(poll);
    return run;
  };
  EXPECT_TRUE(only_master(busy(0.75, 0.05, 0)));
  EXPECT_TRUE(only_master(busy(0.75, 0, 0.05)));
  EXPECT_FALSE(only_master(busy(0.65, 0, 0.15))) << "it polls in vain: it has time";
  record::RunSummary one = busy(0.75, 0.05, 0);
  one.ranks[4].time.compute = Interval::seconds(0.6);
  one.ranks[4].time.wait = Interval::seconds(0.4);
  EXPECT_FALSE(only_master(one)) << "a rank that computes as much waits for nobody";
}

}  // namespace
}  // namespace emu::analysis
