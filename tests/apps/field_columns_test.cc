// The rules for dealing columns: chunks as the measured programs printed them.
#include <gtest/gtest.h>

#include "columns.h"
#include "rows.h"

namespace field {
namespace {

// The chunks of all requests, with slaves that ask in turn.
std::vector<int> chunks(const Dealing& dealing) {
  Dealer dealer(dealing);
  std::vector<int> result;
  for (std::size_t ended = 0, slave = 0; ended < dealing.powers.size();
       slave = (slave + 1) % dealing.powers.size()) {
    const int columns = dealer.next(static_cast<int>(slave)).columns;
    ended = columns == 0 ? ended + 1 : 0;
    if (columns > 0) result.push_back(columns);
  }
  return result;
}

int sum(const std::vector<int>& all) {
  int total = 0;
  for (const int one : all) total += one;
  return total;
}

Dealing dealing(Rule rule, int columns, std::vector<int> powers, bool distributed = false) {
  return {rule, distributed, columns, 20, std::move(powers)};
}

TEST(Columns, TrapezoidDecreasesByADelta) {
  // F = 500, N = ceil(8000 / 520) = 16, delta = floor(480 / 15) = 32
  const auto four = chunks(dealing(Rule::trapezoid, 4000, {1, 1, 1, 1}));
  EXPECT_EQ(four.size(), 13u);
  EXPECT_EQ(four[0], 500);
  EXPECT_EQ(four[1], 468);
  EXPECT_EQ(sum(four), 4000);
  const auto one = chunks(dealing(Rule::trapezoid, 4000, {1}));  // delta 660
  EXPECT_EQ(one, (std::vector<int>{2000, 1340, 660}));
  EXPECT_EQ(chunks(dealing(Rule::trapezoid, 8000, {1, 1})).size(), 7u);
}

TEST(Columns, GuidedTakesAShareOfWhatIsLeft) {
  const auto eight = chunks(dealing(Rule::guided, 4000, {1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(eight.size(), 32u);
  EXPECT_EQ(eight[0], 500);
  EXPECT_EQ(eight[1], 438);
  EXPECT_EQ(eight[2], 383);
  EXPECT_EQ(sum(eight), 4000);
}

TEST(Columns, FactoringHasATable) {
  const auto twelve = chunks(dealing(Rule::factoring, 4000, std::vector<int>(12, 1)));
  ASSERT_EQ(twelve.size(), 61u);
  for (const auto& [row, columns] :
       std::vector<std::pair<int, int>>{{0, 167}, {1, 84}, {2, 42}, {3, 21}, {4, 19}})
    for (int slave = 0; slave < 12; ++slave)
      EXPECT_EQ(twelve[static_cast<std::size_t>(12 * row + slave)], columns);
  EXPECT_EQ(twelve.back(), 4);  // the rest below the threshold
}

TEST(Columns, PowersOfTheDistributedForms) {
  const std::vector<int> powers = {2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1};
  const auto factoring = chunks(dealing(Rule::factoring, 4000, powers, true));
  EXPECT_EQ(factoring.size(), 61u);
  EXPECT_EQ(factoring[0], 223);
  EXPECT_EQ(factoring[11], 112);
  // Two chunks in a row, as one: 166 and that less one delta.
  Dealer trapezoid(dealing(Rule::trapezoid, 4000, powers, true));
  const auto first = trapezoid.next(0), second = trapezoid.next(11);
  EXPECT_EQ(first.first, 0);
  EXPECT_EQ(second.first, first.columns);
  EXPECT_GT(first.columns, 2 * second.columns - 10);
  EXPECT_EQ(sum(chunks(dealing(Rule::trapezoid, 4000, powers, true))), 4000);
  EXPECT_EQ(sum(chunks(dealing(Rule::guided, 12000, powers, true))), 12000);
}

TEST(Columns, IterationsOfTheMandelbrotSet) {
  const auto sums = iterations(40, 100);
  ASSERT_EQ(sums.size(), 40u);
  // Column 0 has real part -2: the point -2 itself stays bounded, the others escape at once.
  EXPECT_LT(sums[0], 300);
  // Column 20 has real part 0: the points from -i to i are inside, few others are.
  EXPECT_GT(sums[20], 15 * 100);
  EXPECT_LT(sums[20], 40 * 100);
  EXPECT_EQ(sums[39], iterations(40, 1000)[39]);  // no point is inside
}

// The points of four rows have real and imaginary parts -2, -1, 0 and 1. A point with |c| of 2 or more ends after a step;
// -1 - i and -1 + i after 3, 1 - i and 1 + i after 2, 1 after 2, and the other points never.
TEST(Rows, IterationsUpToTheStepThatLeavesTheCircle) {
  const int most = 50;
  EXPECT_EQ(row_iterations(4, most, Row::imaginary),
            (std::vector<std::int64_t>{4, 1 + 3 + most + 2, 1 + most + most + 2, 1 + 3 + most + 2}));
  EXPECT_EQ(row_iterations(4, most, Row::real),
            (std::vector<std::int64_t>{4, 1 + 3 + most + 3, 1 + 3 * most, 1 + 2 + 2 + 2}));
}

}  // namespace
}  // namespace field
