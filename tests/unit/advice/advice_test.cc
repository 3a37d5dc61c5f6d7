// Advice, compared with closed forms and with alternatives that must not be better.
#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <queue>
#include <string>

#include "advice/advise.h"
#include "advice/c_loop.h"

namespace emu::advice {
namespace {

std::vector<Worker> alike(int workers, const Worker& worker) {
  return std::vector<Worker>(static_cast<std::size_t>(workers), worker);
}

TEST(Advice, OfEqualWorkersOnAFreeNetworkIsPerfect) {
  for (const int workers : {1, 3, 16}) {
    const Advice advice = advise(Rest(4800, 1e-3, 0), alike(workers, {}), 0);
    EXPECT_NEAR(advice.played.seconds, 4.8 / workers, 1e-12);
    EXPECT_EQ(advice.workers, workers);
  }
}

// One chunk: a request, a chunk, the work, and the final request and its answer.
TEST(Advice, OfOneWorkerIsOneChunk) {
  const Advice advice =
      advise(Rest(1000, 1e-3, 0), alike(1, {.receive = 1e-3, .send = 2e-3, .there = 3e-3, .back = 4e-3}), 0);
  EXPECT_EQ(advice.played.chunks, 1);
  EXPECT_NEAR(advice.played.seconds, 1 + 2 * 0.01, 1e-12);
}

TEST(Advice, OfUnequalWorkersIsBySpeeds) {
  std::vector<Worker> workers = alike(4, {});
  workers[3].speed = 5;
  const Advice advice = advise(Rest(8000, 1e-3, 0), workers, 0);
  EXPECT_NEAR(advice.played.seconds, 1.0, 2e-3);
}

// The master takes 2 ms for a chunk: chunks of 1 would take 2 s.
TEST(Advice, WhereTheMasterIsSaturatedHasLargerChunks) {
  const auto workers = alike(32, {.receive = 1e-3, .send = 1e-3});
  const Rest rest(1000, 1e-4, 0);
  EXPECT_NEAR(play(rest, workers, {Rule::self}).seconds, (1000 + 32) * 2e-3, 1e-9);
  const Advice advice = advise(rest, workers, 0);
  EXPECT_LT(advice.played.chunks, 64);
  EXPECT_LT(advice.played.seconds, 0.1);
}

// One iteration takes these workers longer than all iterations take the others.
TEST(Advice, LeavesOutWorkersThatAreTooSlow) {
  std::vector<Worker> workers = alike(8, {.there = 1e-5, .back = 1e-5});
  for (const std::size_t slow : {0, 5}) workers[slow].speed = 1e-5;
  const Advice advice = advise(Rest(10000, 1e-3, 0), workers, 0);
  EXPECT_LT(advice.workers, 8);
  EXPECT_FALSE(advice.used[0] || advice.used[5]);
  EXPECT_LT(advice.played.seconds, 2.1);
}

// Beyond a number of chunks the middle of the loop is skipped.
TEST(Advice, SkipsTheMiddleOfLongLoops) {
  const auto saturated = alike(16, {.receive = 1e-4, .send = 1e-4});
  EXPECT_NEAR(play(Rest(1'000'000, 1e-4, 0), saturated, {Rule::self}).seconds, 1'000'016 * 2e-4, 1e-3);
  const auto free = alike(16, {.receive = 1e-6, .send = 1e-6, .there = 1e-3, .back = 1e-3});
  EXPECT_NEAR(play(Rest(1'000'000, 1e-3, 0), free, {Rule::self}).seconds, 1e6 / 16 * 3.002e-3, 1);
}

TEST(Advice, IsCarefulWhereAWorkerMayBecomeSlow) {
  const auto workers = alike(16, {.receive = 2e-5, .send = 2e-5, .there = 1e-4, .back = 1e-4});
  const Rest rest(3200, 1e-3, 0);
  const Advice bold = advise(rest, workers, 0), careful = advise(rest, workers, 0.05);
  EXPECT_LT(careful.played.exposure, bold.played.exposure / 2);
  EXPECT_LE(careful.played.seconds, bold.played.seconds * 1.03);
}

TEST(Rest, HasItsMeanWhateverDeviationAndTrend) {
  for (const int iterations : {1, 2, 100, 8192, 100'000})
    for (const double deviation : {0.0, 1e-4, 1e-3})
      for (const double trend : {0.0, 1.5e-3, -1.5e-3})
        EXPECT_NEAR(Rest(iterations, 1e-3, deviation, trend).cost(0, iterations), iterations * 1e-3,
                    iterations * 1e-12);
  const Rest rising(1000, 1e-3, 0, 1e-3);
  EXPECT_NEAR(rising.cost(0, 500), 0.375, 1e-12);
}

TEST(Rest, Deviates) {
  const Rest rest(8192, 1e-3, 5e-4);
  double squares = 0;
  for (int i = 0; i < 8192; ++i) squares += std::pow(rest.cost(i, 1) - 1e-3, 2);
  EXPECT_NEAR(std::sqrt(squares / 8192), 5e-4, 2.5e-5);
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

TEST(Advice, OfALimitIsTheSameOrNone) {
  const auto workers = alike(16, {.receive = 2e-5, .send = 2e-5, .there = 1e-4, .back = 1e-4});
  const Rest rest(100'000, 1e-4, 5e-5);
  for (std::size_t rule = 0; rule < rules_to_choose_from; ++rule) {
    const Way way{static_cast<Rule>(rule)};
    const Played all = play(rest, workers, way);
    EXPECT_EQ(play(rest, workers, way, 1.001 * all.seconds).seconds, all.seconds);
    EXPECT_EQ(play(rest, workers, way, 0.9 * all.seconds).seconds, HUGE_VAL);
  }
}

// Two halves for each worker cost little, and reduce the loss by half if a worker becomes slow. Workers far from the
// master are late.
TEST(Advice, HasSizesOfWhichAWholeNumberIsAnEqualPart) {
  const Advice careful = advise(
      Rest(9600, 1e-3, 0), alike(96, {.receive = 1e-4, .send = 1e-4, .there = 1e-4, .back = 1e-4}), 0.05);
  EXPECT_LE(careful.way.most, 50);
  EXPECT_LT(careful.played.seconds, 0.1 * 1.3);
  auto far = alike(96, {.receive = 3e-5, .send = 3e-5, .there = 1e-4, .back = 1e-4});
  for (std::size_t i = 48; i < 96; ++i) far[i].there = far[i].back = 0.04;
  EXPECT_LT(advise(Rest(19200, 1e-3, 0), far, 0).played.seconds, 0.31);
}

// Less than a quarter of the time of a priority queue for the events of all rules, with one iteration in each chunk.
TEST(Advice, TakesLittleTime) {
  constexpr int workers = 64, iterations = 100'000;
  const auto least_of = [](auto what) {
    double least = 1e9;
    for (int i = 0; i < 5; ++i) {
      const double start = cpu_seconds();
      what();
      least = std::min(least, cpu_seconds() - start);
    }
    return least;
  };
  double sum = 0;
  const double events = least_of([&] {
    std::priority_queue<double, std::vector<double>, std::greater<>> queue;
    for (int i = 0; i < workers; ++i) queue.push(i);
    for (std::size_t i = 0; i < rules_to_choose_from * iterations; ++i) {
      const double next = queue.top();
      queue.pop();
      queue.push(next + 50 + static_cast<double>(i % 7));
    }
    sum += queue.top();
  });
  for (const int count : {workers, 255}) {
    const double advice = least_of([&] {
      sum += advise(Rest(iterations, 1e-3, 5e-4), alike(count, {1, 5e-5, 5e-5, 1e-4, 1e-4}), 0.05)
                 .played.seconds;
    });
    EXPECT_LT(advice, events / 4) << count << " workers";
  }
  EXPECT_GT(sum, 0);
}

emu_loop loop_of(long long iterations, int workers) {
  emu_loop loop{};
  loop.iterations = iterations;
  loop.mean_seconds = 1e-3;
  loop.workers = workers;
  return loop;
}

TEST(AdviceInC, OfNoIterationsIsNothing) {
  char used[2] = {7, 7};
  emu_loop loop = loop_of(0, 2);
  loop.used = used;
  ASSERT_TRUE(check(loop));
  const emu_advice advice = advise(loop, usual_costs(2));
  EXPECT_EQ(advice.chunk, 0);
  EXPECT_EQ(advice.workers, 0);
  EXPECT_EQ(advice.seconds, 0);
  EXPECT_TRUE(used[0] == 0 && used[1] == 0);
}

// An unknown speed is the mean of the others; message costs may be given.
TEST(AdviceInC, TakesWhatIsGiven) {
  const double speeds[] = {3, 0, 1}, trips[] = {0.5, 0.5, 0.5};
  emu_loop loop = loop_of(6000, 3);
  loop.speeds = speeds;
  EXPECT_NEAR(advise(loop, usual_costs(3)).seconds, 1.0, 5e-3);
  emu_loop single = loop_of(1000, 1);
  single.trip_seconds = trips;
  single.receive_seconds = 0.25;
  single.send_seconds = 0.125;
  const emu_advice advice = advise(single, usual_costs(1));
  EXPECT_NEAR(advice.seconds, 1 + 2 * (0.25 + 0.25 + 0.125 + 0.25), 1e-9);
  EXPECT_LE(advice.chunk, advice.most);
  EXPECT_EQ(advice.most, 1000);
}

TEST(AdviceInC, NamesWhatIsInvalid) {
  const auto refused = [](auto change) {
    emu_loop loop = loop_of(10, 2);
    change(loop);
    const auto checked = check(loop);
    return checked ? std::string() : checked.error().message;
  };
  const double wrong[] = {1, -1}, endless[] = {HUGE_VAL, 1};
  EXPECT_EQ(refused([](emu_loop&) {}), "");
  EXPECT_EQ(refused([](emu_loop& l) { l.iterations = -1; }),
            "invalid number of iterations: -1 (expected 0 to 2147483647)");
  EXPECT_EQ(refused([](emu_loop& l) { l.iterations = 1LL << 31; }),
            "invalid number of iterations: 2147483648 (expected 0 to 2147483647)");
  EXPECT_EQ(refused([](emu_loop& l) { l.workers = 0; }),
            "invalid number of workers: 0 (expected 1 to 65536)");
  EXPECT_EQ(refused([](emu_loop& l) { l.mean_seconds = NAN; }),
            "invalid mean_seconds: nan (expected 0 to 4.6e6)");
  EXPECT_EQ(refused([](emu_loop& l) { l.deviation_seconds = -2; }),
            "invalid deviation_seconds: -2 (expected 0 to 4.6e6)");
  EXPECT_EQ(refused([](emu_loop& l) { l.send_seconds = -2; }),
            "invalid send_seconds: -2 (expected 0 to 4.6e6)");
  EXPECT_EQ(refused([](emu_loop& l) { l.disturbance = 1.5; }), "invalid disturbance: 1.5 (expected 0 to 1)");
  EXPECT_EQ(refused([](emu_loop& l) { l.trend_seconds = -0.003; }),
            "invalid trend_seconds: -0.003 (expected at most twice mean_seconds, 0.001, to either side)");
  EXPECT_EQ(refused([&](emu_loop& l) { l.speeds = wrong; }), "invalid speeds[1]: -1 (expected 0 to 4.6e6)");
  EXPECT_EQ(refused([&](emu_loop& l) { l.busy_seconds = endless; }),
            "invalid busy_seconds[0]: inf (expected 0 to 4.6e6)");
  EXPECT_EQ(refused([&](emu_loop& l) { l.trip_seconds = wrong; }),
            "invalid trip_seconds[1]: -1 (expected 0 to 4.6e6)");
  EXPECT_EQ(refused([](emu_loop& l) { l.chunk_bytes = -1; }),
            "invalid size of a message: -1 bytes (expected 0 or more)");
}

}  // namespace
}  // namespace emu::advice
