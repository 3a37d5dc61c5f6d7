// emu study: the reason why more ranks do not help, according to the runs.
#include "study/diagnosis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "runs.h"
#include "study/curve.h"
#include "study/losses.h"
#include "target/target.h"

namespace emu::app::studies {
namespace {

// A target with round numbers: o_s = o_r = 10us + 1us P, L = 50us, no cost per byte.
target::Target round_target(const std::string& card = "free",
                            const std::string& nodes = "[[node]]\ncount = 64\n") {
  const auto target = target::parse(
      "name = \"round\"\ncompute = \"declared\"\n[network]\nlatency = \"50us\"\ngap_per_byte = \"1us\"\n"
      "eager_limit = \"64KiB\"\ncard = \"" +
          card +
          "\"\n[network.send]\nfixed = \"10us\"\nper_process = \"1us\"\nper_byte = "
          "\"0us\"\n[network.receive]\n"
          "fixed = \"10us\"\nper_process = \"1us\"\nper_byte = \"0us\"\n" +
          nodes,
      "round");
  EXPECT_TRUE(target) << target.error().message;
  return *target;
}

Diagnosis diagnosis_of(const record::RunSummary& run, target::Target target) {
  Curve curve;
  curve.target = std::move(target);
  Point point;
  point.ranks = static_cast<int>(run.ranks.size());
  point.runs.push_back(run);
  curve.points.push_back(point);
  return diagnose(curve, *optimum(curve), range(2, 64));
}

// 1000 results with 9 slaves on 10 ranks: o = 20us; master 1000 * 20us + 1009 * 20us; RTT = 2 L + 4 o =
// 180us.
TEST(ClosedForm, OfRoundNumbers) {
  const auto job = only_master(farm(1, 0.02, 0.02, 900, std::vector<std::pair<double, double>>(9, {1, 0.1})));
  ASSERT_TRUE(job);
  const ClosedForm form = closed_form(*job, round_target(), 10);
  EXPECT_NEAR(form.master, 900 * 20e-6 + 909 * 20e-6, 1e-12);
  EXPECT_NEAR(form.slaves, (0.9 + 900 * 180e-6) / 9, 1e-12);
  // With another number of ranks the overheads differ: o = 40us, RTT = 260us.
  EXPECT_NEAR(closed_form(*job, round_target(), 30).slaves, (0.9 + 900 * 260e-6) / 29, 1e-12);
}

// With a handshake both sides pay for two control messages. If the receiver reads, it pays for the send, too.
TEST(ClosedForm, OfMessagesWithAHandshake) {
  const auto job = only_master(farm(1, 0.02, 0.02, 900, std::vector<std::pair<double, double>>(9, {1, 0.1})));
  ASSERT_TRUE(job);
  target::Target target = round_target();
  target.network.eager_limit = 0;
  EXPECT_NEAR(closed_form(*job, target, 10).master, 900 * 60e-6 + 909 * 60e-6, 1e-12);
  target.network.rendezvous = model::Rendezvous::get;
  EXPECT_NEAR(closed_form(*job, target, 10).master, 900 * 80e-6 + 909 * 40e-6, 1e-12);
}

TEST(Diagnosis, NamesWhatHoldsTheSlavesUp) {
  using Slaves = std::vector<std::pair<double, double>>;
  const auto of = [](const record::RunSummary& run) { return diagnosis_of(run, round_target()).bottleneck; };
  // The master is busy all the time.
  EXPECT_EQ(of(farm(1, 0.6, 0.4, 1000, Slaves(10, {1, 0.3}))), "master's receive overhead");
  EXPECT_EQ(of(farm(1, 0.4, 0.6, 1000, Slaves(10, {1, 0.3}))), "master's send overhead");
  // The master is not busy: slaves wait for something else.
  EXPECT_EQ(of(farm(1, 0.1, 0.1, 100, Slaves(10, {1, 0.3}))), "waiting for other ranks");
  // 100us in transit for each of 1000 results of 10 slaves: 0.01 s each.
  EXPECT_EQ(of(farm(0.015, 0.003, 0.003, 1000, Slaves(10, {0.015, 0.004}))), "latency");
  // As above, but the master is never free, so less latency would not help.
  EXPECT_EQ(of(farm(0.015, 0.01, 0.0045, 1000, Slaves(10, {0.015, 0.004}))), "master's receive overhead");
  // 1 us for each byte.
  EXPECT_EQ(of(farm(0.1, 0.003, 0.003, 1000, Slaves(10, {0.1, 0.004}), 400)), "time per byte");
  // Half of the slaves never get a task; the others get two or one.
  Slaves few(10, {1, 0.95});
  for (int i = 0; i < 5; ++i) few[i] = {0.001, 0};
  EXPECT_EQ(of(farm(1, 0.001, 0.001, 10, few)), "too few tasks");
  Slaves rounds(10, {1, 0.98});
  for (int i = 0; i < 9; ++i) rounds[i] = {0.52, 0.49};
  EXPECT_EQ(of(farm(1, 0.001, 0.001, 10, rounds)), "slow slaves at the end");  // one each: nothing to round
  record::RunSummary eleven = farm(1, 0.001, 0.001, 10, rounds);
  ++eleven.ranks[10].messages_sent;
  EXPECT_EQ(of(eleven), "too few tasks");
  Slaves late(10, {0.6, 0.59});
  late[3] = {1, 0.99};
  EXPECT_EQ(of(farm(1, 0.01, 0.01, 1000, late)), "slow slaves at the end");
  EXPECT_EQ(of(farm(1, 0.01, 0.01, 1000, Slaves(10, {1, 0.97}))), "none in this range");
}

// A slave that polls for half of its time: neither an overhead of messages nor waiting.
TEST(Diagnosis, NamesPolls) {
  const auto polling_for = [](record::RankSummary& rank, double seconds) {
    rank.time.poll = Interval::seconds(seconds);
    rank.time.wait -= rank.time.poll;
  };
  record::RunSummary run = farm(1, 0.1, 0.1, 100, std::vector<std::pair<double, double>>(10, {1, 0.3}));
  for (record::RankSummary& rank : run.ranks) polling_for(rank, 0.5);
  EXPECT_NEAR(losses(*only_master(run), run, round_target()).poll, 0.5, 1e-9);
  EXPECT_NEAR(losses(*only_master(run), run, round_target()).master_busy, 0.2, 1e-9);  // polls are no work
  const Diagnosis polls = diagnosis_of(run, round_target());
  EXPECT_EQ(polls.bottleneck, "polls");
  EXPECT_NE(polls.why.back().find("take 50.0 % of the ranks' time"), std::string::npos) << polls.why.back();
  // A master without free time sets the pace, whatever its slaves do meanwhile.
  record::RunSummary busy = farm(1, 0.6, 0.35, 1000, std::vector<std::pair<double, double>>(10, {1, 0.3}));
  for (std::size_t i = 1; i < busy.ranks.size(); ++i) polling_for(busy.ranks[i], 0.6);
  EXPECT_EQ(diagnosis_of(busy, round_target()).bottleneck, "master's receive overhead");
  // A master whose own work between its polls takes all its time is no load imbalance.
  record::RunSummary working = farm(1, 0.1, 0.1, 1000, std::vector<std::pair<double, double>>(10, {1, 0.1}));
  working.ranks[0].time.compute = Interval::seconds(0.75);
  working.ranks[0].time.poll = Interval::seconds(0.05);
  working.ranks[0].time.wait = Interval();
  EXPECT_EQ(diagnosis_of(working, round_target()).bottleneck, "master's work");
}

// The closed form assumes equal tasks. With uneven ones it tells nothing about other numbers of ranks.
TEST(Diagnosis, LeavesOutAClosedFormThatIsFarOff) {
  std::vector<std::pair<double, double>> slaves(10, {0.2, 0.1});
  slaves[4] = {1, 0.95};
  const Diagnosis uneven = diagnosis_of(farm(1, 0.01, 0.01, 100, slaves), round_target());
  EXPECT_FALSE(uneven.closed_form_optimum);
  const auto says = [&](const std::string& words) {
    return std::any_of(uneven.why.begin(), uneven.why.end(),
                       [&](const std::string& why) { return why.find(words) != std::string::npos; });
  };
  EXPECT_TRUE(says("the work is uneven, one slave computes 950 ms, the average slave 185 ms"));
  EXPECT_FALSE(says("it is least at"));
  const Diagnosis even = diagnosis_of(
      farm(1, 0.01, 0.01, 100, std::vector<std::pair<double, double>>(10, {1, 0.97})), round_target());
  EXPECT_TRUE(even.closed_form_optimum);
}

TEST(Diagnosis, NamesTheCard) {
  // 1000 results of 900 bytes, 1us each, in 1 s: the card is busy for 0.9 of it, the master for 0.2.
  const auto run = farm(1, 0.1, 0.1, 1000, std::vector<std::pair<double, double>>(10, {1, 0.1}), 900);
  EXPECT_EQ(diagnosis_of(run, round_target("serial")).bottleneck, "network card");
  EXPECT_EQ(diagnosis_of(run, round_target("free")).bottleneck, "waiting for other ranks");
}

TEST(Diagnosis, SharesSumUpToOne) {
  std::vector<std::pair<double, double>> slaves(10, {1, 0.5});
  slaves[2] = {0.4, 0.3};
  slaves[3] = {0.01, 0};
  const auto run = farm(1, 0.3, 0.3, 1000, slaves);
  const Losses lost = losses(*only_master(run), run, round_target());
  EXPECT_NEAR(lost.compute + lost.overhead + lost.poll + lost.latency + lost.per_byte + lost.queue +
                  lost.end + lost.without_task,
              1, 1e-9);
}

TEST(Diagnosis, OfProgramsWithoutMaster) {
  // Eight ranks that compute 0.3 s of 1 s; the critical path has the rest.
  const auto of = [](double compute, double send, double latency, double per_byte) {
    record::RunSummary run;
    for (int i = 0; i < 8; ++i) run.ranks.push_back(rank(1, 0.3, 0.05, 0.05, 100, 100));
    record::Path& path = run.ranks.front().path;
    path.compute = Interval::seconds(compute);
    path.send_overhead = Interval::seconds(send);
    path.latency = Interval::seconds(latency);
    path.gap_per_byte = Interval::seconds(per_byte);
    const Shares share = shares(run);
    EXPECT_NEAR(share.compute + share.imbalance + share.overhead + share.latency + share.per_byte, 1, 1e-9);
    return diagnosis_of(run, round_target()).bottleneck;
  };
  EXPECT_EQ(of(0.7, 0.1, 0.1, 0.1), "load imbalance");
  EXPECT_EQ(of(0.3, 0.4, 0.2, 0.1), "communication overhead");
  EXPECT_EQ(of(0.3, 0.1, 0.4, 0.2), "latency");
  EXPECT_EQ(of(0.3, 0.1, 0.2, 0.4), "time per byte");
  record::RunSummary busy;
  for (int i = 0; i < 8; ++i) busy.ranks.push_back(rank(1, 0.98, 0.01, 0.01, 100, 100));
  EXPECT_EQ(diagnosis_of(busy, round_target()).bottleneck, "none in this range");
  EXPECT_EQ(diagnosis_of(run_of(0, 4), round_target()).bottleneck,
            "none in this range");  // nothing takes time
}

}  // namespace
}  // namespace emu::app::studies
