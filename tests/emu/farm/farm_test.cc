// The farm's simulation, compared with closed forms: free networks, saturated masters, prefetched chunks, unequal
// speeds, the order of messages.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <memory>
#include <numeric>

#include "advice/on_target.h"
#include "farm/question.h"
#include "farm/tasks.h"

namespace emu::app::farms {
namespace {

constexpr std::int64_t us = 1'000'000, ms = 1000 * us;  // picoseconds

struct Network {
  std::int64_t latency = 0, send = 0, receive = 0;  // picoseconds
};

// Equal nodes, some with other speeds.
target::Target target_of(const Network& network, int nodes, const std::string& more = "") {
  const auto text = [](std::int64_t ps) {
    return "\"" + std::to_string(ps / us) + "." + std::to_string(us + ps % us).substr(1) + "us\"";
  };
  const std::string file =
      "name = \"t\"\ncompute = \"declared\"\n[network]\nlatency = " + text(network.latency) +
      "\ngap_per_byte = \"0us\"\neager_limit = \"64KiB\"\n[network.send]\nfixed = " + text(network.send) +
      "\n[network.receive]\nfixed = " + text(network.receive) +
      "\n[network.poll]\nfixed = \"1us\"\n[[node]]\ncount = " + std::to_string(nodes) + "\n" + more;
  const auto target = target::parse(file, "test");
  if (!target) throw std::runtime_error(target.error().message);
  return *target;
}

Question question_of(Costs costs, Protocol protocol = Protocol::deal) {
  Question question;
  question.job.protocol = protocol;
  question.job.costs = std::move(costs);
  return question;
}

std::int64_t predicted(const Question& question, const Policy& way, const target::Target& target, int ranks) {
  const auto run = simulate(question, way, target, ranks);
  EXPECT_TRUE(run) << run.error().message;
  return run ? run->predicted().picoseconds() : -1;
}

// Each message takes 1 ps, the least possible time.
TEST(Farm, IsPerfectOnAFreeNetwork) {
  const target::Target target = target_of({}, 9);
  for (int ranks = 2; ranks <= 9; ++ranks)
    for (const int tasks : {1, 7, 8, 64, 65})
      for (const int chunk : {1, 2, 5}) {
        const int chunks = (tasks + chunk - 1) / chunk, slaves = ranks - 1;
        const int rounds = (chunks + slaves - 1) / slaves;
        // The last chunk is the smaller one: alone in its round, it shortens the round.
        const bool alone = chunks % slaves == 1 || slaves == 1;
        const std::int64_t work = (std::int64_t{rounds} * chunk - (alone ? chunks * chunk - tasks : 0)) * ms;
        EXPECT_EQ(predicted(question_of({tasks, 1e-3}), {.chunk = chunk}, target, ranks),
                  work + 2 * rounds + 1)
            << tasks << " tasks by " << chunk << " with " << ranks << " ranks";
      }
}

TEST(Farm, OneRankComputesAll) {
  const target::Target target = target_of({50 * us, us, us}, 1);
  EXPECT_EQ(predicted(question_of({1000, 1e-3}), {}, target, 1), 1000 * ms);
  EXPECT_EQ(predicted(question_of(Costs(1000, 1e-3).listed(), Protocol::request), {}, target, 1), 1000 * ms);
}

// The master always has a result to receive: n (o_r + o_s) after the first tasks, then the stop message to the last
// slave.
TEST(Farm, OfASaturatedMasterLastsAsLongAsItsMessages) {
  const Network network{20 * us, 3 * us, 5 * us};
  for (const int ranks : {20, 33, 64})
    for (const int tasks : {100, 1000}) {
      const std::int64_t first = (ranks - 1) * network.send;
      EXPECT_EQ(predicted(question_of({tasks, 1e-6}), {}, target_of(network, 64), ranks),
                first + tasks * (network.receive + network.send) + network.latency + network.receive);
    }
}

// A master that works for each task also takes this time.
TEST(Farm, OfABusyMasterLastsAsLongAsItsWork) {
  const Network network{20 * us, 3 * us, 5 * us};
  Question question = question_of({1000, 1e-6});
  question.job.master_seconds = 11e-6;
  for (const int chunk : {1, 4})
    EXPECT_EQ(predicted(question, {.chunk = chunk}, target_of(network, 20), 20),
              1000 * 11 * us + 19 * network.send + 1000 / chunk * (network.receive + network.send) +
                  network.latency + network.receive);
}

// One slave that always has its next task: it waits for the first task, and for the order to stop.
TEST(Farm, ChunksAheadHideTheRoundTrip) {
  const Network network{200 * us, 3 * us, 5 * us};
  const auto expect = [&](int prefetch, std::int64_t waits) {
    constexpr int tasks = 50;
    const std::int64_t round_trip = 2 * network.latency + network.receive + network.send;
    EXPECT_EQ(predicted(question_of({tasks, 1e-3}), {.prefetch = prefetch}, target_of(network, 2), 2),
              network.send + network.latency + tasks * (network.receive + ms + network.send) +
                  waits * round_trip + network.receive)
        << prefetch << " chunks at a time";
  };
  expect(1, 50);
  expect(2, 1);
  expect(3, 1);
}

// Slaves ask: the first request, then a reading of the clock before and after each chunk.
TEST(Farm, OfRequestsPaysForTheFirstOneAndForReadingClocks) {
  const Network network{20 * us, 3 * us, 5 * us};
  const std::int64_t one_way = network.send + network.latency + network.receive, poll = us;
  EXPECT_EQ(predicted(question_of(Costs(10, 1e-3).listed(), Protocol::request), {}, target_of(network, 2), 2),
            one_way + 11 * 2 * one_way + 10 * (ms + 2 * poll));
}

TEST(Farm, FasterNodesGetMore) {
  const target::Target target = target_of({}, 2, "[[node]]\ncount = 1\nspeed = 0.5\n");
  EXPECT_EQ(predicted(question_of({300, 1e-3}), {}, target, 3) / ms, 200);
  EXPECT_EQ(predicted(question_of(Costs(300, 1e-3).listed(), Protocol::request),
                      {.rule = advice::Rule::fixed}, target, 3) /
                ms,
            300);
  Question weighted = question_of(Costs(300, 1e-3).listed(), Protocol::request);
  weighted.probe = 10e-3;
  EXPECT_EQ(predicted(weighted, {.rule = advice::Rule::weighted}, target, 3) / ms, 220);
}

TEST(Farm, SaysWhatNeverEnds) {
  const target::Target still = target_of({}, 2, "[[event]]\nnode = 1\nat = \"1ms\"\nspeed = 0\n");
  const auto run = simulate(question_of({2, 1e-3}), {}, still, 2);
  ASSERT_FALSE(run);
  EXPECT_NE(run.error().message.find("rank 1: the work that it begins at"), std::string::npos)
      << run.error().message;
  const auto longer = simulate(question_of({100'000'000, 3600}), {.chunk = 100'000'000}, target_of({}, 2), 2);
  ASSERT_FALSE(longer);
  EXPECT_NE(longer.error().message.find("beyond the end of virtual time"), std::string::npos)
      << longer.error().message;
  const auto over = simulate(question_of({2000, 3600}), {}, target_of({}, 2), 2);
  ASSERT_FALSE(over);
  EXPECT_NE(over.error().message.find("beyond the end of virtual time"), std::string::npos)
      << over.error().message;
}

TEST(Farm, RefusesWhatTheProtocolsDoNotHave) {
  const target::Target target = target_of({}, 4, "[[event]]\nnode = 3\nkind = \"fail\"\nat = \"1ms\"\n");
  EXPECT_TRUE(expressible(target, 3, "file"));
  EXPECT_NE(expressible(target, 4, "file").error().message.find("file: [[event]] of kind \"fail\": node 3"),
            std::string::npos);
  const Question deal = question_of({1, 1}), request = question_of({1, 1}, Protocol::request);
  EXPECT_TRUE(possible(deal, {.masters = 4}, target, 4));
  EXPECT_FALSE(possible(deal, {.masters = 5}, target, 4));
  EXPECT_FALSE(possible(request, {.masters = 2}, target, 4));
  EXPECT_FALSE(possible(request, {.prefetch = 2}, target, 4));
  EXPECT_FALSE(possible(deal, {.rule = advice::Rule::adaptive}, target, 4));
  EXPECT_TRUE(possible(request, {.rule = advice::Rule::adaptive}, target, 4));
  EXPECT_FALSE(possible(deal, {.rule = advice::Rule::guided, .masters = 2}, target, 4));
  Question large = deal;
  large.job.bytes.input = 1000;
  EXPECT_TRUE(possible(large, {.chunk = 65, .prefetch = 2}, target, 4));
  EXPECT_FALSE(possible(large, {.chunk = 66, .prefetch = 2}, target, 4));
}

// Programs of a few calls, for the machine alone.
class Script : public Process {
 public:
  struct Call {
    enum { send, receive, compute } what;
    int peer = 0;
    model::Bytes bytes = 1;
    double seconds = 0;
  };
  Script(int rank, std::vector<Call> calls, std::vector<int>* heard = nullptr)
      : rank_(rank), calls_(std::move(calls)), heard_(heard) {}
  bool go_on(Machine& machine) override {
    while (machine.wait(rank_)) {
      if (next_ > 0 && calls_[next_ - 1].what == Call::receive && heard_)
        heard_->push_back(machine.received(rank_).note.first);
      if (next_ == calls_.size()) return true;
      const Call& call = calls_[next_++];
      if (call.what == Call::send)
        machine.start_send(rank_, call.peer, 0, call.bytes, {static_cast<std::int32_t>(call.bytes), 0});
      else if (call.what == Call::receive)
        machine.start_receive(rank_, call.peer, 0);
      else
        machine.compute(rank_, call.seconds);
    }
    return false;
  }

 private:
  const int rank_;
  const std::vector<Call> calls_;
  std::vector<int>* const heard_;
  std::size_t next_ = 0;
};

using Calls = std::vector<Script::Call>;

Result<record::RunSummary> play(const target::Target& target, const std::vector<Calls>& calls,
                                std::vector<int>* heard) {
  std::vector<std::unique_ptr<Process>> programs;
  for (int rank = 0; rank < static_cast<int>(calls.size()); ++rank)
    programs.push_back(
        std::make_unique<Script>(rank, calls[static_cast<std::size_t>(rank)], rank == 0 ? heard : nullptr));
  return Machine(target, static_cast<int>(calls.size())).run(std::move(programs));
}

constexpr auto send = Script::Call::send, receive = Script::Call::receive, compute = Script::Call::compute;

// A short message of one source does not overtake an earlier long one; a message of another source does.
TEST(Machine, ChoosesByArrivalAndDoesNotOvertake) {
  target::Target target = target_of({10 * us, 0, us}, 3);
  target.between[0].gap_per_byte = Rate::femtoseconds_per_byte(us * 1000);
  const Calls master{{receive, any_rank}, {receive, any_rank}, {receive, any_rank}};
  std::vector<int> heard;
  // 101 bytes arrive at 110 us, 1 byte of that source at 10 us, and 3 bytes of the other source at 60 + 12 us.
  const auto run =
      play(target, {master, {{send, 0, 101}, {send, 0, 1}}, {{compute, 0, 0, 60e-6}, {send, 0, 3}}}, &heard);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(heard, (std::vector<int>{3, 101, 1}));
  EXPECT_EQ(run->ranks[0].finish.picoseconds(), 112 * us);
  // A later message of the third rank comes after the held message, although it is ready earlier.
  heard.clear();
  const auto held = play(
      target, {master, {{send, 0, 101}, {send, 0, 1}}, {{compute, 0, 0, 98.5e-6}, {send, 0, 3}}}, &heard);
  ASSERT_TRUE(held);
  EXPECT_EQ(heard, (std::vector<int>{101, 1, 3}));
  EXPECT_EQ(held->ranks[0].finish.picoseconds(), 113 * us);
}

TEST(Machine, TakesMessagesOfOneInstantByRank) {
  const target::Target target = target_of({10 * us, 0, us}, 4);
  std::vector<int> heard;
  const auto run =
      play(target,
           {{{compute, 0, 0, 1e-3}, {receive, any_rank}, {receive, any_rank}, {receive, any_rank}},
            {{send, 0, 3}},
            {{send, 0, 2}},
            {{send, 0, 1}}},
           &heard);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(heard, (std::vector<int>{3, 2, 1}));
  EXPECT_EQ(run->ranks[0].finish.picoseconds(), ms + 3 * us);
}

TEST(Machine, SaysThatARankWaitsForEver) {
  const auto run = play(target_of({10 * us, 0, us}, 2), {{{receive, 1}}, {}}, nullptr);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().message, "rank 0 waits for ever");
}

TEST(Costs, AreDrawnFromTheirDistribution) {
  constexpr int tasks = 200'000;
  const auto moments = [](const Costs& costs) {
    double squares = 0;
    const double mean = costs.mean();
    for (int i = 0; i < tasks; ++i) squares += std::pow(costs.of(i, 1) - mean, 2);
    return std::pair(mean, std::sqrt(squares / tasks));
  };
  const auto near = [](std::pair<double, double> is, double mean, double deviation) {
    EXPECT_NEAR(is.first, mean, 0.01 * mean);
    EXPECT_NEAR(is.second, deviation, 0.02 * mean);
  };
  near(moments(draw({Distribution::constant, 3}, tasks)), 3, 0);
  near(moments(draw({Distribution::uniform, 1, 5}, tasks)), 3, 4 / std::sqrt(12));
  near(moments(draw({Distribution::normal, 3, 0.5}, tasks)), 3, 0.5);
  near(moments(draw({Distribution::exponential, 3}, tasks)), 3, 3);
  // Costs are equal for equal seeds, for any number of tasks.
  const Drawn one{Distribution::exponential, 3, 0, 1}, other{Distribution::exponential, 3, 0, 2};
  EXPECT_EQ(draw(one, 10).of(7, 1), draw(one, 20).of(7, 1));
  EXPECT_NE(draw(one, 10).of(7, 1), draw(other, 10).of(7, 1));
}

TEST(Costs, AreReadFromAColumn) {
  const std::string path = testing::TempDir() + "farm_test.csv";
  const auto read = [&](const std::string& text, const std::string& column) {
    std::ofstream(path) << text;
    return read_csv(path, column);
  };
  const std::string table = "# a comment\nname, cost ,other\na,2ms,1\n\nb,0.003,2\n";
  const auto cost = read(table, "cost");
  ASSERT_TRUE(cost) << cost.error().message;
  EXPECT_EQ(cost->tasks(), 2);
  EXPECT_DOUBLE_EQ(cost->total(), 0.005);
  EXPECT_DOUBLE_EQ(read(table, "3")->total(), 3);
  EXPECT_DOUBLE_EQ(read(table, "")->total(), 3);
  EXPECT_EQ(read("1us\n2us\n", "")->tasks(), 2);
  EXPECT_NE(read(table, "none").error().message.find("(expected 1 to 3, or one of: name, cost, other)"),
            std::string::npos);
  EXPECT_NE(read(table, "name").error().message.find("line 3: invalid time of a task: a "),
            std::string::npos);
  EXPECT_FALSE(read("# nothing\n", ""));
  std::remove(path.c_str());
  EXPECT_FALSE(read_csv(path, ""));
}

// Advice simulates the protocol chunk by chunk, without the broadcast at the beginning.
TEST(Farm, HasTheTimesOfAdvice) {
  const Network network{50 * us, 12 * us, 13 * us};
  for (const int ranks : {2, 9, 33}) {
    const target::Target target = target_of(network, ranks);
    const model::Network messages(target.network, target.topology(ranks));
    std::vector<int> slaves(static_cast<std::size_t>(ranks - 1));
    std::iota(slaves.begin(), slaves.end(), 1);
    const auto workers = advice::workers_of(messages, 0, slaves, {24, 8});
    const double broadcast = std::ceil(std::log2(ranks)) * 75e-6;
    for (const advice::Rule rule : {advice::Rule::fixed, advice::Rule::self, advice::Rule::guided,
                                    advice::Rule::factoring, advice::Rule::trapezoid, advice::Rule::mfsc})
      for (const double mean : {1e-3, 1e-5}) {
        const auto played = advice::play(advice::Rest(1000, mean, 0), workers, {.rule = rule});
        const double seconds =
            static_cast<double>(predicted(question_of(Costs(1000, mean).listed(), Protocol::request),
                                          {.rule = rule}, target, ranks)) *
            1e-12;
        EXPECT_GE(seconds, played.seconds - 1e-9) << static_cast<int>(rule) << ", " << ranks << " ranks";
        EXPECT_LE(seconds, played.seconds + broadcast + 1e-9)
            << static_cast<int>(rule) << ", " << ranks << " ranks";
      }
  }
}

}  // namespace
}  // namespace emu::app::farms
