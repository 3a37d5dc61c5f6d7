// Work on a CPU with a changing speed: every expected instant is computed by hand.
#include "model/speed.h"

#include <gtest/gtest.h>

#include <random>

namespace emu::model {
namespace {

Instant at(std::int64_t ps) { return Instant::from_picoseconds(ps); }
constexpr std::int64_t half = one / 2, quarter = one / 4;
constexpr Instant never = Instant::never();

std::int64_t done(const Speed& s, std::int64_t work, std::int64_t start) {
  return s.done(Interval::picoseconds(work), at(start)).at.picoseconds();
}

Speed with(std::vector<Windows::Window> windows, std::int64_t usual = one) {
  Speed s(usual);
  s.change(std::make_shared<Windows>(std::move(windows)));
  return s;
}

Speed with(std::vector<Steps::Step> steps, std::optional<Interval> loop_after) {
  Speed s;
  s.change(std::make_shared<Steps>(std::move(steps), loop_after));
  return s;
}

TEST(Speed, SteadyWorkIsDivided) {
  EXPECT_EQ(done(Speed(), 1000, 5), 1005);
  EXPECT_EQ(done(Speed(half), 1000, 5), 2005);
  EXPECT_EQ(done(Speed(4 * one), 1000, 5), 255);
  EXPECT_EQ(done(Speed(3 * one), 1000, 0), 333);
  EXPECT_EQ(done(Speed(3 * one), 2000, 0), 667);
  EXPECT_EQ(done(Speed(half), 0, 7), 7);
}

TEST(Speed, AStepInTheMiddleOfATask) {
  const Speed s = with({{at(1000), at(2000), quarter}});
  EXPECT_EQ(done(s, 1000, 0), 1000);    // ends as the window begins
  EXPECT_EQ(done(s, 1001, 0), 1004);    // 1 ps of work inside it
  EXPECT_EQ(done(s, 1100, 500), 2350);  // 500 before, 250 inside, 350 after
  EXPECT_EQ(done(s, 250, 1000), 2000);  // just fills it
  EXPECT_EQ(done(s, 251, 1000), 2001);
  EXPECT_EQ(done(s, 100, 2000), 2100);
}

TEST(Speed, NothingIsDoneWhileItStandsStill) {
  const Speed s = with({{at(1000), at(2000), 0}});
  EXPECT_EQ(done(s, 1000, 0), 1000);
  EXPECT_EQ(done(s, 1001, 0), 2001);
  EXPECT_EQ(done(s, 5, 1500), 2005);
  EXPECT_EQ(done(s, 0, 1500), 1500);
  EXPECT_EQ(done(with({{at(1000), never, 0}}), 1000, 0), 1000);
  EXPECT_EQ(with({{at(1000), never, 0}}).done(Interval::picoseconds(1001), at(0)).at, never);
}

TEST(Speed, RoundedOnceHoweverManyPieces) {
  std::vector<Windows::Window> windows;  // 0.3 and 1 by turns, 1 ps each: 13 ps of work in 20 ps
  for (int i = 0; i < 1000; ++i) windows.push_back({at(2 * i), at(2 * i + 1), 3 * one / 10});
  EXPECT_EQ(done(with(windows), 1300, 0), 2000);
  EXPECT_EQ(done(with(windows), 13, 0), 20);
}

TEST(Speed, RecordedSteps) {
  const Speed s = with({{at(100), half}, {at(300), 2 * one}}, std::nullopt);
  EXPECT_EQ(s.at(at(99)), one);
  EXPECT_EQ(s.at(at(100)), half);
  EXPECT_EQ(s.at(at(300)), 2 * one);
  EXPECT_EQ(done(s, 100 + 100 + 50, 0), 325);
}

// The sequence of steps repeats 100 after its last step: a round is 100 to 400.
TEST(Speed, RecordedStepsThatComeAgain) {
  const Speed s = with({{at(100), half}, {at(300), 2 * one}}, Interval::picoseconds(100));
  EXPECT_EQ(s.at(at(50)), one);
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(s.at(at(100 + 300 * round)), half);
    EXPECT_EQ(s.at(at(299 + 300 * round)), half);
    EXPECT_EQ(s.at(at(300 + 300 * round)), 2 * one);
    EXPECT_EQ(s.at(at(399 + 300 * round)), 2 * one);
  }
  // 300 of work in each round, 100 of it in its first 200.
  EXPECT_EQ(done(s, 300 * 1'000'000, 100), 100 + 300LL * 1'000'000);
  EXPECT_EQ(done(s, 300 * 1'000'000 + 100, 100), 100 + 300LL * 1'000'000 + 200);
  EXPECT_EQ(done(with({{at(0), half}}, Interval::picoseconds(10)), 100, 3), 203);
}

TEST(Speed, FactorsMultiply) {
  Speed s(4 * one);
  s.change(std::make_shared<Windows>(std::vector<Windows::Window>{{at(0), at(100), half}}));
  s.change(std::make_shared<Windows>(std::vector<Windows::Window>{{at(50), at(150), quarter}}));
  EXPECT_EQ(s.at(at(0)), 2 * one);
  EXPECT_EQ(s.at(at(60)), half);
  EXPECT_EQ(s.at(at(100)), one);
  EXPECT_EQ(s.at(at(150)), 4 * one);
  EXPECT_EQ(done(s, 100 + 25 + 50 + 40, 0), 160);
  EXPECT_EQ(s.fastest(), 4 * one);
}

// While the CPU is stopped, another load changes again and again.
TEST(Speed, AStandstillForEverIsFoundAtOnce) {
  Speed s = with({{at(1000), never, 0}});
  s.change(std::make_shared<Load>(500'000, Interval::picoseconds(1), 1, 0));
  EXPECT_EQ(s.done(Interval::picoseconds(10'000), at(0)).at, never);
  EXPECT_EQ(s.at(at(1000)), 0);
  Speed by_turns = with({{at(0), 0}, {at(10), one}}, Interval::picoseconds(10));
  by_turns.change(std::make_shared<Steps>(std::vector<Steps::Step>{{at(0), one}, {at(10), 0}},
                                          Interval::picoseconds(10)));
  EXPECT_EQ(by_turns.done(Interval::picoseconds(1), at(0)).at, never);
  EXPECT_EQ(by_turns.done(Interval::picoseconds(1), at(0), at(70)).at, at(70));  // which ends it
}

TEST(Speed, StopsWhereNothingIsDoneAnyMore) {
  EXPECT_EQ(Speed().stops(), never);
  EXPECT_EQ(with({{at(1000), never, 0}}).stops(), at(1000));
  EXPECT_EQ(with({{at(1000), at(2000), 0}, {at(3000), never, 0}, {at(2500), at(3000), 0}}, 1).stops(),
            at(2500));
  EXPECT_EQ(with({{at(1000), at(2000), 0}}).stops(), never);
  EXPECT_EQ(with({{at(0), 0}}, std::nullopt).stops(), at(0));
  EXPECT_EQ(with({{at(7), one}, {at(9), 0}, {at(11), 0}}, std::nullopt).stops(), at(9));
  EXPECT_EQ(with({{at(7), one}, {at(9), 0}}, Interval::picoseconds(1)).stops(), never);
  // Half of each day, up to some night.
  constexpr std::int64_t day = 86'400'000'000'000'000;
  const std::vector<Steps::Step> nights = {{at(0), one}, {at(day / 2), 0}};
  Speed s = with(nights, Interval::picoseconds(day / 2));
  EXPECT_EQ(s.stops(), never);
  s.change(std::make_shared<Windows>(std::vector<Windows::Window>{{at(3 * day), never, 0}}));
  EXPECT_EQ(s.stops(), at(2 * day + day / 2));
  Speed by_turns = with(nights, Interval::picoseconds(day / 2));
  by_turns.change(
      std::make_shared<Steps>(std::vector<Steps::Step>{{at(3 * day), 0}, {at(3 * day + day / 2), one}},
                              Interval::picoseconds(day / 2)));
  EXPECT_EQ(by_turns.stops(), at(2 * day + day / 2));
}

TEST(Speed, TellsWhatOfTheTimeNothingIsDone) {
  const Speed s = with({{at(1000), at(2000), 0}, {at(3000), at(4000), quarter}});
  const auto of = [&](std::int64_t work, std::int64_t start, Instant limit = never) {
    return s.done(Interval::picoseconds(work), at(start), limit);
  };
  EXPECT_EQ(of(500, 0).idle.picoseconds(), 0);
  EXPECT_EQ(of(1000, 0).idle.picoseconds(), 0);  // done as it begins
  EXPECT_EQ(of(2100, 0).at, at(3400));
  EXPECT_EQ(of(2100, 0).idle.picoseconds(), 1000);
  EXPECT_EQ(of(2100, 0).begin, one);
  EXPECT_EQ(of(2100, 0).end, quarter);
  EXPECT_EQ(of(10, 1900).idle.picoseconds(), 100);
  EXPECT_EQ(of(10, 1900).begin, 0);
  EXPECT_EQ(of(2100, 0, at(1700)).at, at(1700));
  EXPECT_EQ(of(2100, 0, at(1700)).idle.picoseconds(), 700);
  EXPECT_EQ(of(2100, 0, at(1700)).end, 0);
  EXPECT_EQ(of(2100, 0, at(2500)).at, at(2500));
  EXPECT_EQ(of(2100, 0, at(2500)).end, 0);
  EXPECT_EQ(of(2100, 0, at(3400)).end, quarter);  // just in time
}

TEST(Speed, FastestIsNeverLessThanAnything) {
  EXPECT_EQ(with({{at(0), at(100), half}}).fastest(), one);
  EXPECT_EQ(with({{at(0), at(100), 3 * one}}, half).fastest(), 3 * half);
  EXPECT_EQ(with({{at(100), half}, {at(300), 2 * one}}, std::nullopt).fastest(), 2 * one);
}

// --- repeated changes are skipped at once, with results exact to the picosecond

// Reference implementation, one picosecond at a time. Nothing if the work is not done at `horizon`, which is before
// `limit`.
std::optional<Speed::Done> slowly(const Speed& s, std::int64_t work, Instant start, Instant limit,
                                  Instant horizon) {
  __extension__ __int128 left = static_cast<__int128>(work) * one;
  Speed::Done result{start, Interval(), s.at(start), 0};
  for (; result.at < limit; result.at += Interval::picoseconds(1)) {
    if (result.at >= horizon) return {};
    const std::int64_t speed = s.at(result.at);
    if (speed == 0) result.idle += Interval::picoseconds(1);
    if (speed == 0 || left > speed) {
      left -= speed;
      continue;
    }
    result.at += Interval::picoseconds(left >= speed - speed / 2 ? 1 : 0);
    result.end = speed;
    return result;
  }
  return result;
}

struct RandomSpeeds {
  std::mt19937_64 random;
  std::int64_t up_to(std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(0, most)(random);
  }
  std::int64_t factor() {
    const std::int64_t some[] = {0,       0,       one,          one,         half,          half,
                                 2 * one, 2 * one, 3 * one / 10, 7 * one + 1, 1 + up_to(one)};
    return some[up_to(10)];
  }
  std::shared_ptr<Factor> steps(std::int64_t longest, bool loop) {
    std::vector<Steps::Step> steps;
    Instant next = at(up_to(50));
    for (std::int64_t i = up_to(3); i >= 0; --i) {
      steps.push_back({next, factor()});
      next += Interval::picoseconds(1 + up_to(longest));
    }
    return std::make_shared<Steps>(
        steps, loop ? std::optional(Interval::picoseconds(1 + up_to(longest))) : std::nullopt);
  }
  std::shared_ptr<Factor> windows() {
    std::vector<Windows::Window> windows;
    std::int64_t from = 0;
    for (std::int64_t i = up_to(3); i >= 0; --i) {
      from += up_to(4000);
      const std::int64_t until = from + 1 + up_to(2000);
      windows.push_back({at(from), at(until), factor()});
      from = until;
    }
    return std::make_shared<Windows>(windows);
  }
  Speed speed() {
    Speed s(up_to(3) ? one : 1 + up_to(2 * one));
    s.change(steps(1 + up_to(8), true));
    if (up_to(2) == 0) s.change(steps(1 + up_to(3000), up_to(1)));
    if (up_to(2) == 0) s.change(steps(1 + up_to(8), true));
    if (up_to(2) == 0) s.change(windows());
    if (up_to(4) == 0)
      s.change(std::make_shared<Load>(300'000, Interval::picoseconds(1 + up_to(2000)), 1, 0));
    return s;
  }
};

TEST(Rounds, AreLeaptOverExactly) {
  RandomSpeeds random{std::mt19937_64(2026)};
  const Instant horizon = at(20'000);
  int over = 0, cut = 0, at_an_end = 0;
  for (int i = 0; i < 2000; ++i) {
    const Speed s = random.speed();
    const Instant start = at(random.up_to(500));
    const Instant limit = random.up_to(1) ? never : start + Interval::picoseconds(1 + random.up_to(12'000));
    std::int64_t work = 1 + random.up_to(random.up_to(1) ? 10'000 : 300);
    if (random.up_to(3) == 0) {  // an amount that is done at some instant: a piece or a round may end there
      __extension__ __int128 sum = 0;
      for (Instant t = start, end = start + Interval::picoseconds(random.up_to(3000)); t < end;
           t += Interval::picoseconds(1))
        sum += s.at(t);
      work = std::max<std::int64_t>(1, static_cast<std::int64_t>(sum / one));
      at_an_end += sum > 0 && sum % one == 0;
    }
    const auto expected = slowly(s, work, start, limit, horizon);
    const Speed::Done got = s.done(Interval::picoseconds(work), start, limit);
    if (!expected) {
      EXPECT_GE(got.at, horizon) << i;
      continue;
    }
    ASSERT_EQ(got.at, expected->at) << i;
    ASSERT_EQ(got.idle, expected->idle) << i;
    ASSERT_EQ(got.begin, expected->begin) << i;
    ASSERT_EQ(got.end, expected->end) << i;
    ++(got.end == 0 ? cut : over);
  }
  EXPECT_GT(over, 800);
  EXPECT_GT(cut, 100);
  EXPECT_GT(at_an_end, 50);
}

// A second of work at alternating speeds 1 and 0.5, a picosecond each; then combined with other changes.
TEST(Rounds, OfTwoPicosecondsTakeNoLongerThanOthers) {
  constexpr std::int64_t second = 1'000'000'000'000;
  const auto ps = [](std::int64_t n) { return Interval::picoseconds(n); };
  const auto by_turns = [&](std::int64_t first, std::int64_t second, std::int64_t each) {
    return std::make_shared<Steps>(std::vector<Steps::Step>{{at(0), first}, {at(each), second}}, ps(each));
  };
  Speed s;
  s.change(by_turns(one, half, 1));
  EXPECT_EQ(done(s, 3 * second, 0), 4 * second);
  EXPECT_EQ(done(s, 3 * second, 1), 4 * second + 1);
  EXPECT_EQ(s.done(ps(3 * second), at(0), at(2 * second)).at, at(2 * second));
  // During a window of a second no work is done.
  Speed with_window = s;
  with_window.change(
      std::make_shared<Windows>(std::vector<Windows::Window>{{at(second), at(2 * second), 0}}));
  EXPECT_EQ(done(with_window, 3 * second, 0), 5 * second);
  EXPECT_EQ(with_window.done(ps(3 * second), at(0)).idle, ps(second));
  // The other load changes once a second: work of 0.75 in one second, half of that in the next.
  Speed with_longer = s;
  with_longer.change(by_turns(one, half, second));
  EXPECT_EQ(done(with_longer, 9 * second, 0), 16 * second);
  // Rounds of 2 ps and of 3 ps combine: work is done from 0 to 1 and from 2 to 3, in each 6 ps.
  Speed two;
  two.change(by_turns(one, 0, 1));
  two.change(
      std::make_shared<Steps>(std::vector<Steps::Step>{{at(0), one}, {at(1), 0}, {at(2), one}}, ps(1)));
  EXPECT_EQ(done(two, 2 * second, 0), 6 * second - 3);
  EXPECT_EQ(two.done(ps(2 * second), at(0)).idle, ps(4 * second - 3));
  // All three combined give speed 0.
  Speed nothing = s;
  nothing.change(by_turns(0, one, 1));
  nothing.change(by_turns(one, 0, 1));
  EXPECT_EQ(nothing.done(ps(1), at(0)).at, never);
  EXPECT_EQ(nothing.done(ps(1), at(0)).end, 0);
  EXPECT_EQ(nothing.done(ps(1), at(7), at(7 + second)).idle, ps(second));
}

TEST(Load, FollowsFromSeedNodeAndPeriod) {
  const auto speeds = [](std::uint64_t seed, int node) {
    const Load load(500'000, Interval::picoseconds(1000), seed, node);
    std::vector<std::int64_t> result;
    for (int i = 0; i < 50; ++i) {
      const Factor::Piece p = load.piece(at(1000 * i + 500));
      EXPECT_EQ(p.until, at(1000 * (i + 1)));
      EXPECT_EQ(p.factor, load.piece(at(1000 * i)).factor);
      EXPECT_EQ(p.factor, load.piece(at(1000 * i + 999)).factor);
      result.push_back(p.factor);
    }
    return result;
  };
  EXPECT_EQ(speeds(1, 3), speeds(1, 3));
  EXPECT_NE(speeds(1, 3), speeds(2, 3));
  EXPECT_NE(speeds(1, 3), speeds(1, 4));
}

// x is uniform between 0 and twice the mean; a speed of 1/(1 + x) remains.
TEST(Load, HasItsMean) {
  const Load load(500'000, Interval::picoseconds(10), 7, 0);
  double sum = 0, most = 0, least = 10;
  constexpr int periods = 100'000;
  for (int i = 0; i < periods; ++i) {
    const double x = static_cast<double>(one) / static_cast<double>(load.piece(at(10 * i)).factor) - 1;
    sum += x;
    most = std::max(most, x);
    least = std::min(least, x);
  }
  EXPECT_NEAR(sum / periods, 0.5, 0.005);
  EXPECT_NEAR(most, 1.0, 0.001);
  EXPECT_NEAR(least, 0.0, 0.001);
}

// A target file determines the generator's numbers: they must never change.
TEST(Load, TheSamePicosecondsForEver) {
  Speed s;
  s.change(std::make_shared<Load>(1'000'000, Interval::picoseconds(1'000'000), 42, 5));
  EXPECT_EQ(s.at(at(0)), 413'252'853);
  EXPECT_EQ(s.at(at(1'000'000)), 547'813'129);
  EXPECT_EQ(done(s, 1'000'000'000, 0), 1'838'257'008);
}

// Mean 0 and standard deviation 1, within the accuracy of 100,000 numbers.
TEST(Spread, NormallyDistributed) {
  double sum = 0, squares = 0;
  constexpr int count = 100'000;
  for (int i = 0; i < count; ++i) {
    const double z = static_cast<double>(normal(1, 2, static_cast<std::uint64_t>(i))) / 1e6;
    sum += z;
    squares += z * z;
  }
  EXPECT_NEAR(sum / count, 0, 0.02);
  EXPECT_NEAR(squares / count, 1, 0.02);
  EXPECT_NE(normal(1, 2, 3), normal(2, 2, 3));
  EXPECT_NE(normal(1, 2, 3), normal(1, 3, 3));
}

TEST(Spread, ScalesByTheDeviation) {
  EXPECT_EQ(spread(1'000'000'000, 30'000, 1'000'000), 1'030'000'000);
  EXPECT_EQ(spread(1'000'000'000, 30'000, -2'000'000), 940'000'000);
  EXPECT_EQ(spread(10, 900'000, -6'000'000), 1);  // never nothing
  const Interval work = Interval::picoseconds(1'000'000);
  EXPECT_EQ(Jitter().of(work, 3, 4), work);
  EXPECT_EQ((Jitter{10'000, 5}.of(work, 3, 4).picoseconds()),
            spread(1'000'000, 10'000, normal(5, (std::uint64_t{1} << 32) + 3, 4)));
}

}  // namespace
}  // namespace emu::model
