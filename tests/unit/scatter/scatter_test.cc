// The heuristics, compared with all distributions of small problems; orders and roots; invalid input.
#include <gtest/gtest.h>

#include "problems.h"
#include "scatter/exact.h"
#include "scatter/heuristic.h"
#include "scatter/linear.h"
#include "scatter/order.h"

namespace emu::scatter {
namespace {

TEST(Scatter, HeuristicsKeepTheirGuarantee) {
  Random random(3);
  for (int i = 0; i < 3000; ++i) {
    const Shape shape = static_cast<Shape>(i % 2);
    const Problem problem = random.problem(shape);
    SCOPED_TRACE(told(problem));
    const Interval best = least(problem);
    const auto found = heuristic(problem);
    ASSERT_TRUE(found) << found.error().message;
    expect_distribution(problem, found->plan);
    EXPECT_LE(found->lower_bound, best);
    Interval sends, compute;
    for (const Processor& p : problem.processors) {
      sends += p.send.of(1);
      compute = std::max(compute, p.compute.of(1));
    }
    EXPECT_LE(found->plan.makespan, best + sends + compute);
    if (shape != Shape::linear) continue;
    const auto closed = closed_form(problem);
    ASSERT_TRUE(closed) << closed.error().message;
    expect_distribution(problem, *closed);
    EXPECT_LE(closed->makespan, best + sends + compute);
    const auto split = shares(problem);
    EXPECT_LE(split->makespan, best);
    // The linear program's own tolerance, which is relative.
    EXPECT_NEAR(
        split->makespan.seconds(), found->lower_bound.seconds(),
        1e-12 + 3e-7 * makespan(problem, uniform(problem.items, problem.processors.size())).seconds());
  }
}

TEST(Scatter, NothingForWhomItIsNotWorthSendingTo) {
  // Later processors finish 1/10 + (1 - 1/10 * 2) / 12 = 1/6 items in a unit of time; sending one item takes 6 units.
  const auto linear = [](std::int64_t send, std::int64_t compute) {
    return Processor{Cost::affine(Interval(), per_item(send)), Cost::affine(Interval(), per_item(compute))};
  };
  Problem problem{6000, {linear(6, 1), linear(2, 10), linear(0, 10)}};
  auto split = shares(problem);
  ASSERT_TRUE(split);
  EXPECT_EQ(split->items[0], 0);
  EXPECT_GT(split->items[1], 0);
  problem.processors[0] = linear(5, 1);
  split = shares(problem);
  EXPECT_GT(split->items[0], 0);
  // All processors end at the same time.
  const auto plan = closed_form(problem);
  for (const Part& part : plan->parts)
    EXPECT_NEAR(static_cast<double>((part.finished - Instant()).picoseconds()),
                static_cast<double>(plan->makespan.picoseconds()), 30);
}

// A processor gets nothing if the later ones could compute all items while all items were sent to it.
TEST(Scatter, WhoGetsNothingAndWhoSomething) {
  Random random(9);
  const Items n = 1'000'000;
  int nothing = 0, something = 0;
  for (int i = 0; i < 500; ++i) {
    Problem problem{n, {}};
    const auto p = 2 + random.up_to(4);
    for (std::int64_t k = 0; k < p; ++k)
      problem.processors.push_back(
          {random.cost(Shape::linear, 0, 60), Cost::affine(Interval(), per_item(1 + random.up_to(100)))});
    const auto split = shares(problem);
    ASSERT_TRUE(split);
    for (std::size_t k = 0; k + 1 < problem.processors.size(); ++k) {
      const Problem behind{
          n, {problem.processors.begin() + static_cast<std::ptrdiff_t>(k) + 1, problem.processors.end()}};
      const Interval send = problem.processors[k].send.of(n), rest = shares(behind)->makespan;
      // Without this processor the end is as early, or later.
      Problem without = problem;
      without.processors.erase(without.processors.begin() + static_cast<std::ptrdiff_t>(k));
      const Interval other = shares(without)->makespan;
      if (send > rest + ps(1)) {
        EXPECT_EQ(split->items[k], 0);
        EXPECT_LE((other - split->makespan).picoseconds(), 1);
        ++nothing;
      } else if (send + ps(1) < rest) {
        EXPECT_GT(split->items[k], 0);
        EXPECT_GE((other - split->makespan).picoseconds(), -1);
        ++something;
      }
    }
  }
  EXPECT_GT(nothing, 50);
  EXPECT_GT(something, 50);
}

TEST(Scatter, RoundingTakesTheNearestFirst) {
  // 2.9 becomes 3, which is 0.1 too much; 1.2 becomes 1, which leaves 0.1; 3.8 becomes 4, and the last one gets the
  // rest.
  EXPECT_EQ(rounded({1.2L, 3.8L, 2.9L, 2.1L}, 10), (std::vector<Items>{1, 4, 3, 2}));
  // 0.5 + 0.5: the first goes up, the other down.
  EXPECT_EQ(rounded({0.5L, 0.5L}, 1), (std::vector<Items>{1, 0}));
  EXPECT_EQ(rounded({0.4L, 0.4L, 0.2L}, 1), (std::vector<Items>{1, 0, 0}));
  EXPECT_EQ(rounded({0.0L, 5.0L}, 5), (std::vector<Items>{0, 5}));
}

TEST(Scatter, RoundingStaysWithinOne) {
  Random random(4);
  for (int i = 0; i < 1000; ++i) {
    std::vector<long double> shares;
    long double sum = 0;
    const Items n = random.up_to(1000);
    const auto p = 1 + random.up_to(6);
    for (std::int64_t k = 0; k < p; ++k) sum += shares.emplace_back(1 + random.up_to(1000));
    for (auto& share : shares) share *= static_cast<long double>(n) / sum;
    const auto counts = rounded(shares, n);
    for (std::size_t k = 0; k < counts.size(); ++k) {
      EXPECT_GE(counts[k], 0);
      EXPECT_LT(std::abs(static_cast<long double>(counts[k]) - shares[k]), 1 + 1e-9L);
    }
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), Items{0}), n);
  }
}

TEST(Scatter, NoOrderBeatsDescendingBandwidth) {
  Random random(5);
  for (int i = 0; i < 300; ++i) {
    const auto p = static_cast<std::size_t>(2 + random.up_to(3));
    std::vector<Processor> processors;
    for (std::size_t k = 0; k < p; ++k)
      processors.push_back({random.cost(Shape::linear, 0, 30), random.cost(Shape::linear, 0, 100)});
    const std::size_t root = static_cast<std::size_t>(random.up_to(static_cast<std::int64_t>(p) - 1));
    processors[root].send = Cost();
    const Items n = 1000000;
    const auto order = by_bandwidth(processors, root, n);
    ASSERT_EQ(order.back(), root);
    const Interval ours = shares({n, in_order(processors, order)})->makespan;
    auto other = as_given(p, root);
    std::sort(other.begin(), other.end() - 1);
    do {
      EXPECT_LE(ours, shares({n, in_order(processors, other)})->makespan);
    } while (std::next_permutation(other.begin(), other.end() - 1));
  }
}

TEST(Scatter, BestRoot) {
  // Root 1 computes fast and has the better links, but the data are with 0.
  const auto linear = [](std::int64_t send, std::int64_t compute) {
    return Processor{Cost::affine(Interval(), per_item(send)), Cost::affine(Interval(), per_item(compute))};
  };
  const auto problem = [&](std::size_t root) {
    return Problem{100,
                   {root == 0 ? linear(8, 10) : linear(1, 20), root == 0 ? linear(0, 20) : linear(0, 10)}};
  };
  const auto free = best_root(2, problem, [](std::size_t) { return Interval(); });
  ASSERT_TRUE(free);
  EXPECT_EQ(free->number, 1u);
  const auto moved = best_root(2, problem, [](std::size_t i) { return ps(i == 0 ? 0 : 10000); });
  EXPECT_EQ(moved->number, 0u);
}

TEST(Scatter, EdgesAndBadInput) {
  const Processor one{Cost::affine(ps(5), per_item(1)), Cost::affine(ps(7), per_item(10))};
  EXPECT_EQ(exact({0, {one, one}})->makespan, Interval());
  EXPECT_EQ(heuristic({0, {one, one}})->plan.makespan, Interval());
  EXPECT_EQ(closed_form({0, {Processor()}})->makespan, Interval());
  EXPECT_EQ(exact({3, {one}})->makespan, ps(5 + 3 + 7 + 30));
  EXPECT_EQ(heuristic({3, {one}})->plan.makespan, ps(5 + 3 + 7 + 30));
  EXPECT_EQ(exact({1000, {Processor(), Processor()}})->makespan, Interval());  // all costs 0
  EXPECT_EQ(closed_form({1000, {Processor(), Processor()}})->makespan, Interval());
  EXPECT_EQ(heuristic({1000, {Processor(), Processor()}})->plan.makespan, Interval());
  const auto says = [](const auto& result, const std::string& text) {
    ASSERT_FALSE(result);
    EXPECT_NE(result.error().message.find(text), std::string::npos) << result.error().message;
  };
  says(exact({3, {}}), "at least 1 processor");
  says(exact({-1, {one}}), "invalid number of items: -1 (expected 0 to ");
  says(exact({3, {{Cost::affine(ps(-1), Rate()), Cost()}}}), "processor 0: 1 items cost less than nothing");
  says(exact({3, {{Cost(), Cost::table({ps(0), ps(1), ps(-1), ps(2)})}}}),
       "computing on processor 0: 2 items cost less than nothing");
  says(exact({3, {{Cost(), Cost::table({ps(0), ps(1)})}}}),
       "the table has 2 values; for 0 to 3 items it needs 4");
  const Problem falling{3, {one, {Cost(), Cost::table({ps(0), ps(9), ps(8), ps(20)})}}};
  says(exact_non_decreasing(falling), "computing on processor 1: 2 items cost less than 1");
  EXPECT_EQ(exact(falling)->makespan, least(falling));
  // An invalid function is detected at a value that the planner queries.
  const Problem found_out{3, {one, {Cost(), Cost::function([](Items n) { return ps(n == 2 ? 8 : 9 * n); })}}};
  says(exact_non_decreasing(found_out), "computing on processor 1: 2 items cost less than 1");
  says(check_never_decreases(found_out), "computing on processor 1: 2 items cost less than 1");
  EXPECT_EQ(exact(found_out)->makespan, least(found_out));
  const Problem below{3, {one, {Cost(), Cost::function([](Items n) { return ps(n == 2 ? -8 : 9 * n); })}}};
  says(exact_non_decreasing(below), "computing on processor 1: 2 items cost less than nothing");
  says(exact(below), "computing on processor 1: 2 items cost less than nothing");
  // Also with very many items, if the queried values decrease.
  const Problem downhill{1'000'000,
                         {one, {Cost(), Cost::function([](Items n) { return ps(2'000'000 - n); })}}};
  says(exact_non_decreasing(downhill), "items cost less than ");
  EXPECT_TRUE(
      exact_non_decreasing(downhill).error().message.starts_with("the cost of computing on processor 1: "));
  const Problem sunk{1'000'000, {one, {Cost::function([](Items n) { return ps(n > 10 ? -8 : 0); }), Cost()}}};
  says(exact_non_decreasing(sunk), "the cost of sending to processor 1: ");
  says(exact_non_decreasing(sunk), "items cost less than nothing");
  says(closed_form({3, {one}}), "linear costs");
  says(heuristic(falling), "affine costs");
  const Processor table{Cost::function([](Items n) { return ps(n == 1 ? 5 : 4); }), Cost()};
  says(exact({3000000, {table, table}}), "p n^2 must be at most");
}

TEST(Scatter, ManyItemsNeitherOverflowNorTakeLong) {
  const Items n = 1'000'000'000'000;
  const auto second = [](double s) {
    return Rate::femtoseconds_per_byte(static_cast<std::int64_t>(s * 1e15));
  };
  // 10^12 items of 10 ns and more on 16 processors.
  Problem possible{n, {}};
  for (int i = 0; i < 16; ++i)
    possible.processors.push_back(
        {Cost::affine(ps(1000 * i), second(1e-11)), Cost::affine(ps(i), second((10 + i) * 1e-9))});
  const auto plan = exact(possible);
  ASSERT_TRUE(plan) << plan.error().message;
  expect_distribution(possible, *plan);
  EXPECT_LE(heuristic(possible)->lower_bound, plan->makespan);
  // Items of 1 s: 2,000 years.
  Problem impossible{n, std::vector<Processor>(16, {Cost(), Cost::affine(ps(0), second(1))})};
  for (const auto& result : {exact(impossible), closed_form(impossible)}) {
    ASSERT_FALSE(result);
    EXPECT_NE(result.error().message.find("take longer than 640 hours"), std::string::npos);
  }
}

}  // namespace
}  // namespace emu::scatter
