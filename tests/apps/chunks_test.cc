// The chunk sizes of each rule, against those published and against what defines the rule.
#include "chunks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace loops {
namespace {

// Slaves ask in turn.
std::vector<std::int32_t> sizes(Chunks& chunks, std::int32_t iterations, int slaves) {
  std::vector<std::int32_t> sizes;
  for (int slave = 0; iterations > 0; slave = (slave + 1) % slaves) {
    sizes.push_back(chunks.next(slave, iterations));
    EXPECT_GE(sizes.back(), 1);
    EXPECT_LE(sizes.back(), iterations);
    iterations -= sizes.back();
  }
  return sizes;
}

std::vector<std::int32_t> sizes(Rule rule, std::int32_t iterations, int slaves,
                                std::vector<double> weights = {}) {
  return sizes(*make_chunks(rule, iterations, slaves, weights), iterations, slaves);
}

using Sizes = std::vector<std::int32_t>;

// 1000 iterations and 4 processors, the example of Tzen and Ni (1993), table I, and its successors.
TEST(Chunks, Published) {
  EXPECT_EQ(sizes(Rule::guided, 1000, 4),
            (Sizes{250, 188, 141, 106, 79, 59, 45, 33, 25, 19, 14, 11, 8, 6, 4, 3, 3, 2, 1, 1, 1, 1}));
  EXPECT_EQ(sizes(Rule::trapezoid, 1000, 4), (Sizes{125, 117, 109, 101, 93, 85, 77, 69, 61, 53, 45, 37, 28}));
}

TEST(Chunks, Static) {
  EXPECT_EQ(sizes(Rule::fixed, 10, 4), (Sizes{3, 3, 2, 2}));
  EXPECT_EQ(sizes(Rule::fixed, 3, 4), (Sizes{1, 1, 1}));
}

TEST(Chunks, Self) { EXPECT_EQ(sizes(Rule::self, 4, 2), (Sizes{1, 1, 1, 1})); }

// Each batch is half of what is left.
TEST(Chunks, Factoring) {
  EXPECT_EQ(sizes(Rule::factoring, 64, 2), (Sizes{16, 16, 8, 8, 4, 4, 2, 2, 1, 1, 1, 1}));
}

TEST(Chunks, WeightedByTheirPartOfTheBatch) {
  EXPECT_EQ(sizes(Rule::weighted, 64, 2, {3, 1}), (Sizes{24, 8, 12, 4, 6, 2, 3, 1, 2, 1, 1}));
  EXPECT_EQ(sizes(Rule::weighted, 64, 2, {5, 5}), sizes(Rule::factoring, 64, 2));
}

TEST(Chunks, AdaptiveIsFactoringUntilTimesAreKnown) {
  EXPECT_EQ(sizes(Rule::adaptive, 64, 2), sizes(Rule::factoring, 64, 2));
}

TEST(Chunks, AdaptiveFollowsTheTimes) {
  const auto chunks = make_chunks(Rule::adaptive, 6400, 2, {});
  EXPECT_EQ(chunks->next(0, 6400), 1600);
  EXPECT_EQ(chunks->next(1, 4800), 1600);
  chunks->took(0, 1600, 1.0);
  chunks->took(1, 1600, 3.0);  // speeds 3 : 1, weights 1.5 and 0.5
  EXPECT_EQ(chunks->next(0, 3200), 1200);
  EXPECT_EQ(chunks->next(1, 2000), 400);
  chunks->took(0, 1200, 2.25);  // later chunks count more: (1600 + 2 * 1200) / (1 + 2 * 2.25)
  const double mean = (4000 / 5.5 + 1600 / 3.0) / 2;
  EXPECT_EQ(chunks->next(0, 1600), static_cast<std::int32_t>(std::ceil(400 * (4000 / 5.5) / mean)));
}

// Every rule deals every iteration, whatever the numbers, and no chunk is empty.
TEST(Chunks, DealEverything) {
  for (std::size_t rule = 0; rule < rule_names().size(); ++rule) {
    for (int slaves : {1, 2, 3, 7, 64}) {
      for (std::int32_t iterations : {1, 2, 5, 63, 64, 65, 1000, 99999}) {
        const Sizes all =
            sizes(static_cast<Rule>(rule), iterations, slaves, std::vector<double>(slaves, 0.5));
        EXPECT_EQ(std::accumulate(all.begin(), all.end(), 0), iterations)
            << rule_names()[rule] << ", " << slaves << " slaves";
      }
    }
  }
}

}  // namespace
}  // namespace loops
