// The exact planners, compared with all distributions and all orders of small problems, and with each other.
#include "scatter/exact.h"

#include "problems.h"
#include "scatter/order.h"

namespace emu::scatter {
namespace {

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

// Costs in fractions of picoseconds that are (nearly) equal: the choice of items that cost a picosecond more matters.
TEST(Scatter, ExactWithFractionsOfPicoseconds) {
  Random random(10);
  for (int i = 0; i < 10000; ++i) {
    Problem problem{1 + random.up_to(9), {}};
    const auto p = 3 + random.up_to(1);
    const std::int64_t send = 100 + random.up_to(random.up_to(1) ? 800 : 5000);
    const std::int64_t near = random.up_to(1) * random.up_to(600), work = random.up_to(1) ? 2000 : 12000;
    for (std::int64_t k = 0; k < p; ++k)
      problem.processors.push_back(
          {Cost::affine(Interval(), Rate::femtoseconds_per_byte(k + 1 < p ? send + random.up_to(near) : 0)),
           Cost::affine(Interval(), Rate::femtoseconds_per_byte(random.up_to(work)))});
    ASSERT_EQ(exact_non_decreasing(problem)->makespan, least(problem)) << told(problem);
  }
}

// The minimum over all orders, compared with the result of each method for each order.
TEST(Scatter, AllOrders) {
  Random random(6);
  for (int i = 0; i < 400; ++i) {
    const Shape shape = static_cast<Shape>(i % 4);
    const Problem problem = random.problem(shape);
    const std::size_t root = problem.processors.size() - 1;
    auto order = as_given(problem.processors.size(), root);
    Interval best = too_long;
    do {
      const Problem in{problem.items, in_order(problem.processors, order)};
      SCOPED_TRACE(told(in));
      const Interval here = least(in);
      ASSERT_EQ(exact(in)->makespan, here);
      ASSERT_EQ(exact_any(in)->makespan, here);
      if (shape != Shape::any) {
        ASSERT_EQ(exact_non_decreasing(in)->makespan, here);
        ASSERT_EQ(exact_table(in)->makespan, here);
      }
      best = std::min(best, here);
    } while (std::next_permutation(order.begin(), order.end() - 1));
    if (shape != Shape::linear) continue;
    // With divisible items no order is better than this one, so another one can be better by rounding only.
    const auto ours = exact(
        {problem.items, in_order(problem.processors, by_bandwidth(problem.processors, root, problem.items))});
    Interval sends, compute;
    for (const Processor& p : problem.processors) {
      sends += p.send.of(1);
      compute = std::max(compute, p.compute.of(1));
    }
    EXPECT_LE(ours->makespan, best + sends + compute + ps(1)) << told(problem);
  }
}

// Larger problems, in which bounds exclude states and not all costs are queried. They are compared with the dynamic
// programs, which the tests above check.
void expect_as_good_as_the_dynamic_program(unsigned seed, int problems, Items least_items, Items most_items,
                                           std::int64_t most_processors) {
  Random random(seed);
  for (int i = 0; i < problems; ++i) {
    const Shape shape = static_cast<Shape>(i % 3);
    Problem problem;
    problem.items = least_items + random.up_to(most_items - least_items);
    const auto p = 2 + random.up_to(most_processors - 2);
    const std::int64_t work = i % 2 ? 1000000 : 1000;
    const auto sends = random.up_to(2) == 0 ? work : work / 50;
    const bool alike = random.up_to(3) == 0, sorted = random.up_to(1) == 0;
    const Cost send = random.cost(shape, problem.items, sends);
    for (std::int64_t k = 0; k < p; ++k)
      problem.processors.push_back(
          {alike ? send : random.cost(shape, problem.items, sends), random.cost(shape, problem.items, work)});
    if (sorted)
      problem.processors = in_order(
          problem.processors, by_bandwidth(problem.processors, problem.processors.size() - 1, problem.items));
    const auto table = exact_table(problem);
    const auto fast = exact_non_decreasing(problem);
    ASSERT_TRUE(table) << table.error().message;
    ASSERT_TRUE(fast) << fast.error().message;
    expect_distribution(problem, *fast);
    ASSERT_EQ(fast->makespan, table->makespan) << i;
    const auto near = nearly_exact(problem);
    EXPECT_LE(near->least, table->makespan) << i;
    EXPECT_GE(near->plan.makespan, table->makespan) << i;
    if (problem.items <= 300) {
      ASSERT_EQ(exact_any(problem)->makespan, table->makespan) << i;
    }
  }
}
TEST(Scatter, FastIsAsGoodAsTheDynamicProgram) { expect_as_good_as_the_dynamic_program(2, 90, 50, 300, 11); }
TEST(Scatter, FastIsAsGoodWhereItDoesNotLookAtAll) {
  expect_as_good_as_the_dynamic_program(7, 30, 1000, 4000, 5);
}

// 817,101 items and 16 processors: the planner queries few of the 26 million values of all functions.
TEST(Scatter, FunctionsAreAskedForFewValues) {
  Random random(8);
  for (const bool root_computes_more : {false, true}) {
    std::int64_t asked = 0;
    Problem functions{817101, {}}, affine{817101, {}};
    const auto add = [&](std::int64_t send, std::int64_t compute) {
      affine.processors.push_back(
          {Cost::affine(Interval(), per_item(send)), Cost::affine(ps(send ? 5000 : 0), per_item(compute))});
      const auto counted = [&asked](const Cost& cost) {
        return Cost::function([&asked, cost](Items n) {
          ++asked;
          return cost.of(n);
        });
      };
      const Processor& last = affine.processors.back();
      functions.processors.push_back({counted(last.send), counted(last.compute)});
    };
    for (int i = 0; i < 15; ++i) add(1000 + random.up_to(90000), 3000000 + random.up_to(10000000));
    add(0, root_computes_more ? 1000000 : 9000000);
    const auto fast = exact_non_decreasing(functions);
    ASSERT_TRUE(fast) << fast.error().message;
    EXPECT_LT(asked, 200'000);
    EXPECT_EQ(fast->makespan, exact(affine)->makespan);
  }
}

TEST(Scatter, AsManyAsEachCanFinishIsNotBest) {
  // By 10 the first processor could finish 10 items, but while it receives them the second gets nothing.
  const Problem problem{500,
                        {{Cost::affine(Interval(), per_item(1000)), Cost()},
                         {Cost::affine(Interval(), per_item(10)), Cost::affine(Interval(), per_item(10))}}};
  const auto plan = exact_non_decreasing(problem);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->counts(), (std::vector<Items>{0, 500}));
}

// Sending occupies the root as long as all later processors compute, and costs fractions of picoseconds: with any
// number of items for the first processors, the end is nearly the same.
TEST(Scatter, GivesUpWithWhatItKnows) {
  Problem problem{1'000'000'000'000, {}};
  for (int i = 0; i < 31; ++i)
    problem.processors.push_back(
        {i < 30 ? Cost::affine(Interval(), Rate::femtoseconds_per_byte(15'523'457)) : Cost(),
         Cost::affine(Interval(), Rate::femtoseconds_per_byte(20'756'431))});
  const auto plan = exact(problem);
  ASSERT_FALSE(plan);
  EXPECT_NE(plan.error().message.find("Plan packages of several items, or take the heuristic"),
            std::string::npos)
      << plan.error().message;
  const auto near = nearly_exact(problem);
  ASSERT_TRUE(near);
  EXPECT_FALSE(near->is_exact());
  expect_distribution(problem, near->plan);
  EXPECT_LT(near->least, near->plan.makespan);
  EXPECT_LT((near->plan.makespan - near->least).seconds(), 1e-6 * near->least.seconds());
}

}  // namespace
}  // namespace emu::scatter
