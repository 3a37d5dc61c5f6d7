// The chunk sizes of each rule, compared with published sizes and with the rule's definition.
#include "advice/chunks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace emu::advice {
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

// Each batch is half of the remaining iterations.
TEST(Chunks, Factoring) {
  EXPECT_EQ(sizes(Rule::factoring, 64, 2), (Sizes{16, 16, 8, 8, 4, 4, 2, 2, 1, 1, 1, 1}));
}

// 2^(1/2) 10000 1e-3 / (1e-3 8 (ln 8)^(1/2)) = 1225.9; to the power of 2/3: 114.6.
TEST(Chunks, FixedSize) {
  const auto chunks = make_chunks(Rule::fsc, 10000, 8, {}, {1e-3, 1e-3});
  EXPECT_EQ(chunks->next(0, 10000), 115);
  EXPECT_EQ(chunks->next(3, 50), 50);
  EXPECT_EQ(make_chunks(Rule::fsc, 10000, 8, {}, {1, 1e-6})->next(0, 10000),
            1250);  // no more than an equal part
  EXPECT_EQ(make_chunks(Rule::fsc, 10000, 8, {}, {1e-3, 0})->next(0, 10000), 1250);
  EXPECT_EQ(make_chunks(Rule::fsc, 10000, 8, {}, {0, 1e-3})->next(0, 10000), 1);
  EXPECT_EQ(make_chunks(Rule::fsc, 10000, 1, {}, {1e-3, 1e-3})->next(0, 10000), 10000);
}

TEST(Chunks, FixedSizeOfAsManyChunksAsFactoringHas) {
  const std::size_t factoring = sizes(Rule::factoring, 1000, 4).size();
  const Sizes fixed = sizes(Rule::mfsc, 1000, 4);
  EXPECT_LE(fixed.size(), factoring);
  EXPECT_GT(fixed.size(), factoring * 9 / 10);
}

// The first chunk is half of an equal part. Once a slave is known to be three times as fast, chunks depend on speeds:
// by batches from the next batch on, and by chunks from the next chunk on.
TEST(Chunks, WeightedFactoringByBatchesAndByChunks) {
  for (const Rule rule : {Rule::awf_b, Rule::awf_d}) {
    const auto chunks = make_chunks(rule, 6400, 2, {});
    EXPECT_EQ(chunks->next(0, 6400), 1600);
    chunks->took(0, 1600, 1);
    chunks->took(1, 100, 0.1875);
    EXPECT_EQ(chunks->next(1, 4800), 1600);  // still of the first batch
    EXPECT_EQ(chunks->next(0, 3200), 1200);
    EXPECT_EQ(chunks->next(1, 2000), 400);
  }
  for (const Rule rule : {Rule::awf_c, Rule::awf_e}) {
    const auto chunks = make_chunks(rule, 6400, 2, {});
    EXPECT_EQ(chunks->next(0, 6400), 1600);
    chunks->took(0, 1600, 1);
    chunks->took(1, 100, 0.1875);
    EXPECT_EQ(chunks->next(1, 4800), 600);
    EXPECT_EQ(chunks->next(0, 4200), 1575);
  }
}

// Two slaves, means 1 and 3 ms. Without variance, the remaining iterations are divided by the speeds at once; with
// variance, a part of them. D = 1/1 + 1/3, T = 3/4: (4/3 + 2 * 3/4 * 960 - (16/9 + 4 * 4/3 * 3/4 * 960)^(1/2)) / 2 =
// 689.7, and a third of it.
TEST(Chunks, AdaptiveFactoring) {
  const auto even = make_chunks(Rule::af, 1000, 2, {});
  EXPECT_EQ(even->next(0, 1000), 25);
  const auto chunks = make_chunks(Rule::af, 1000, 2, {});
  for (int i = 0; i < 2; ++i) {
    even->took(0, 10, 10);
    even->took(1, 10, 30);
    // A variance of 1 for an iteration: the times of ten deviate by the root of 10 / 2 to either side of the mean.
    const double off = (i ? 1 : -1) * std::sqrt(10.0 / 2);
    chunks->took(0, 10, 10 + off);
    chunks->took(1, 10, 30 + off);
  }
  EXPECT_EQ(even->next(0, 960), 720);
  EXPECT_EQ(even->next(1, 960), 240);
  EXPECT_EQ(chunks->next(0, 960), 690);
  EXPECT_EQ(chunks->next(1, 960), 230);
}

TEST(Chunks, RulesThatNeedTimes) {
  for (const Rule rule : {Rule::weighted, Rule::adaptive, Rule::af, Rule::awf_b, Rule::awf_e})
    EXPECT_TRUE(needs_times(rule));
  for (const Rule rule : {Rule::fixed, Rule::guided, Rule::fsc, Rule::mfsc}) EXPECT_FALSE(needs_times(rule));
  EXPECT_TRUE(needs_turnaround(Rule::awf_d) && !needs_turnaround(Rule::awf_b));
  EXPECT_EQ(rule_names().size(), static_cast<std::size_t>(Rule::advised) + 1);
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

// Every rule deals all iterations, for any numbers, and no chunk is empty.
TEST(Chunks, DealEverything) {
  for (std::size_t rule = 0; rule < rules_to_choose_from; ++rule) {
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
}  // namespace emu::advice
