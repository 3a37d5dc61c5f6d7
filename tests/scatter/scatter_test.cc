// The planner against all distributions, and all orders, of small problems; and the size of the paper's
// experiment.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "scatter/exact.h"
#include "scatter/heuristic.h"
#include "scatter/linear.h"
#include "scatter/order.h"
#include "scatter/relaxation.h"

namespace emu::scatter {
namespace {

Interval ps(std::int64_t n) { return Interval::picoseconds(n); }
Rate per_item(std::int64_t picoseconds) { return Rate::femtoseconds_per_byte(picoseconds * 1000); }

// The least makespan, by trying all distributions.
Interval least(const Problem& problem, std::vector<Items>& counts, std::size_t i, Items left) {
  if (i + 1 == problem.processors.size()) {
    counts[i] = left;
    return makespan(problem, counts);
  }
  Interval best = too_long;
  for (Items n = 0; n <= left; ++n) {
    counts[i] = n;
    best = std::min(best, least(problem, counts, i + 1, left - n));
  }
  return best;
}
Interval least(const Problem& problem) {
  std::vector<Items> counts(problem.processors.size());
  return least(problem, counts, 0, problem.items);
}

enum class Shape { linear, affine, non_decreasing, any };

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  std::int64_t up_to(std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(0, most)(engine_);
  }

  Cost cost(Shape shape, Items n, std::int64_t most) {
    if (shape == Shape::linear) return Cost::affine(Interval(), per_item(up_to(most)));
    if (shape == Shape::affine) return Cost::affine(ps(up_to(3 * most)), per_item(up_to(most)));
    std::vector<Interval> values;
    std::int64_t value = up_to(3) == 0 ? up_to(most) : 0;
    for (Items i = 0; i <= n; ++i) {
      values.push_back(ps(value));
      value =
          shape == Shape::any ? up_to(3 * most) : value + (up_to(2) == 0 ? up_to(4 * most) : up_to(most / 4));
    }
    if (up_to(1) == 0) return Cost::table(values);
    return Cost::function([values](Items i) { return values[static_cast<std::size_t>(i)]; });
  }

  Problem problem(Shape shape) {
    Problem problem;
    problem.items = up_to(12);
    const auto p = 1 + up_to(3);
    const auto sends = up_to(3) == 0 ? 100 : up_to(20);  // from cheap to as dear as the work
    for (std::int64_t i = 0; i < p; ++i)
      problem.processors.push_back({cost(shape, problem.items, sends), cost(shape, problem.items, 100)});
    return problem;
  }

 private:
  std::mt19937 engine_;
};

std::string told(const Problem& problem) {
  std::string text = std::to_string(problem.items) + " items";
  for (const Processor& p : problem.processors) {
    text += "\n send";
    for (Items n = 0; n <= problem.items; ++n) text += " " + std::to_string(p.send.of(n).picoseconds());
    text += "; compute";
    for (Items n = 0; n <= problem.items; ++n) text += " " + std::to_string(p.compute.of(n).picoseconds());
  }
  return text;
}

void expect_distribution(const Problem& problem, const Plan& plan) {
  const auto counts = plan.counts();
  ASSERT_EQ(counts.size(), problem.processors.size());
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), Items{0}), problem.items);
  for (const Items count : counts) EXPECT_GE(count, 0);
  EXPECT_EQ(plan.makespan, makespan(problem, counts));
}

TEST(Scatter, ExactIsTheBestOfAllDistributions) {
  Random random(1);
  for (int i = 0; i < 4000; ++i) {
    const Shape shape = static_cast<Shape>(i % 4);
    const Problem problem = random.problem(shape);
    SCOPED_TRACE(told(problem));
    const Interval best = least(problem);
    const auto any = exact_any(problem);
    ASSERT_TRUE(any) << any.error().message;
    expect_distribution(problem, *any);
    ASSERT_EQ(any->makespan, best);
    const auto plan = exact(problem);
    ASSERT_TRUE(plan) << plan.error().message;
    expect_distribution(problem, *plan);
    ASSERT_EQ(plan->makespan, best);
    if (shape == Shape::any) continue;
    const auto fast = exact_non_decreasing(problem);
    ASSERT_TRUE(fast) << fast.error().message;
    expect_distribution(problem, *fast);
    ASSERT_EQ(fast->makespan, best);
  }
}

// Larger ones, where bounds cut states away: against the dynamic program, which the test above has tested.
TEST(Scatter, FastIsAsGoodAsTheDynamicProgram) {
  Random random(2);
  for (int i = 0; i < 90; ++i) {
    const Shape shape = static_cast<Shape>(i % 3);
    Problem problem;
    problem.items = 50 + random.up_to(250);
    const auto p = 2 + random.up_to(9);
    const std::int64_t work = i % 2 ? 1000000 : 1000;
    const auto sends = random.up_to(2) == 0 ? work : work / 50;
    for (std::int64_t k = 0; k < p; ++k)
      problem.processors.push_back(
          {random.cost(shape, problem.items, sends), random.cost(shape, problem.items, work)});
    const auto any = exact_any(problem);
    const auto fast = exact_non_decreasing(problem);
    ASSERT_TRUE(any);
    ASSERT_TRUE(fast) << fast.error().message;
    expect_distribution(problem, *fast);
    ASSERT_EQ(fast->makespan, any->makespan) << i;
  }
}

TEST(Scatter, AsManyAsEachCanFinishIsNotBest) {
  // By 10, the first could take 10 items, but while it is sent them the second takes nothing.
  const Problem problem{500,
                        {{Cost::affine(Interval(), per_item(1000)), Cost()},
                         {Cost::affine(Interval(), per_item(10)), Cost::affine(Interval(), per_item(10))}}};
  const auto plan = exact_non_decreasing(problem);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->counts(), (std::vector<Items>{0, 500}));
}

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
    // The linear program's own tolerance, of the scale it has.
    EXPECT_NEAR(
        split->makespan.seconds(), found->lower_bound.seconds(),
        1e-12 + 3e-7 * makespan(problem, uniform(problem.items, problem.processors.size())).seconds());
  }
}

TEST(Scatter, NothingForWhomItIsNotWorthSendingTo) {
  // Those behind take 1/10 + (1 - 1/10 * 2) / 12 items a unit of time: 1/6; sending one item takes 6 units.
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
  // And all end together.
  const auto plan = closed_form(problem);
  for (const Part& part : plan->parts)
    EXPECT_NEAR(static_cast<double>((part.finished - Instant()).picoseconds()),
                static_cast<double>(plan->makespan.picoseconds()), 30);
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
    Items given = 0;
    long double wanted = 0;
    for (std::size_t k = 0; k < counts.size(); ++k) {
      EXPECT_GE(counts[k], 0);
      EXPECT_LT(std::abs(static_cast<long double>(counts[k]) - shares[k]), 1 + 1e-9L);
      EXPECT_LT(std::abs(static_cast<long double>(given += counts[k]) - (wanted += shares[k])), 1 + 1e-9L);
    }
    EXPECT_EQ(given, n);
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
  says(exact({-1, {one}}), "-1 items");
  says(exact({3, {{Cost::affine(ps(-1), Rate()), Cost()}}}), "processor 0: 1 items cost less than nothing");
  says(exact({3, {{Cost(), Cost::table({ps(0), ps(1), ps(-1), ps(2)})}}}),
       "computing on processor 0: 2 items cost less than nothing");
  says(exact({3, {{Cost(), Cost::table({ps(0), ps(1)})}}}),
       "the table has 2 values; for 0 to 3 items it needs 4");
  const Problem falling{3, {one, {Cost(), Cost::table({ps(0), ps(9), ps(8), ps(20)})}}};
  says(exact_non_decreasing(falling), "computing on processor 1: 2 items cost less than 1");
  EXPECT_EQ(exact(falling)->makespan, least(falling));
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
  // Of 1 s: 2,000 years.
  Problem impossible{n, std::vector<Processor>(16, {Cost(), Cost::affine(ps(0), second(1))})};
  for (const auto& result : {exact(impossible), closed_form(impossible)}) {
    ASSERT_FALSE(result);
    EXPECT_NE(result.error().message.find("take longer than 640 hours"), std::string::npos);
  }
}

}  // namespace
}  // namespace emu::scatter
