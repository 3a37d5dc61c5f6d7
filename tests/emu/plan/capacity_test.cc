// Plans of emu plan from measured costs: every expected number follows by hand from a formula of capacity.h.
#include "plan/capacity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <vector>

#include "wire/table.h"

namespace emu::app::capacity {
namespace {

constexpr double MiB = 1 << 20;
const Costs costs{

    .ranks = 16, .cpu_seconds_per_rank = 0.01, .cpu_seconds_per_message = 2e-6, .bytes_per_rank = 8 * MiB};

TEST(Capacity, OneHostHoldsWhatItsMemoryHolds) {
  const Host host{bytes_on_host(100, 100, costs), 4};
  const auto exactly = need({100, 0}, costs, host);
  ASSERT_TRUE(exactly);
  EXPECT_EQ(exactly->hosts, 1);
  EXPECT_EQ(exactly->ranks_per_host, 100);
  EXPECT_DOUBLE_EQ(exactly->bytes, host.bytes);
  const auto one_more = need({101, 0}, costs, host);
  EXPECT_EQ(one_more->hosts, 2);
  EXPECT_EQ(one_more->ranks_per_host, 51);
  EXPECT_DOUBLE_EQ(one_more->bytes, bytes_on_host(51, 101, costs) + bytes_on_host(50, 101, costs));
}

TEST(Capacity, TheTableOfBoundsCounts) {
  EXPECT_DOUBLE_EQ(bytes_on_host(1000, 1000, costs),
                   1000 * 8 * MiB + static_cast<double>(wire::Table::bytes(wire::NodeMap(1000))));
}

// On several hosts each rank stores two ints for each rank of the job, one for each rank of its host and two for each
// host.
TEST(Capacity, WhatEachRankKeepsOfAllRanksCounts) {
  std::vector<int> host_of(1000);
  for (int rank = 0; rank < 1000; ++rank) host_of[rank] = rank / 400;
  const double map = sizeof(int) * (2 * 1000 + 400 + 400 + 3);
  EXPECT_DOUBLE_EQ(
      bytes_on_host(400, 1000, costs),
      400 * (8 * MiB + map) + static_cast<double>(wire::Table::bytes(wire::NodeMap(host_of, 0))));
  // 100,000 ranks on hosts of 64 GiB with 2 MiB each: a quarter of the memory is for those.
  const Costs small{.ranks = 16, .bytes_per_rank = 2 * MiB};
  EXPECT_GT(
      need({100'000, 0}, small, {64 * 1024 * MiB, 1})->bytes_per_host -
          static_cast<double>(need({100'000, 0}, small, {64 * 1024 * MiB, 1})->ranks_per_host) * 2 * MiB,
      0.25 * 64 * 1024 * MiB);
}

TEST(Capacity, NotEvenOneRankFits) { EXPECT_FALSE(need({1, 0}, costs, {MiB, 1})); }

TEST(Capacity, TimeIsThatOfRanksAndOfMessages) {
  const auto n = need({16, 1e9}, costs, {bytes_on_host(8, 16, costs), 4});
  ASSERT_TRUE(n);
  EXPECT_EQ(n->hosts, 2);
  EXPECT_DOUBLE_EQ(n->cpu_seconds_start, 0.16);
  EXPECT_DOUBLE_EQ(n->cpu_seconds_messages, 2000);
  EXPECT_DOUBLE_EQ(n->wall_seconds_most, 0.16 / 8 + 2000);
  EXPECT_DOUBLE_EQ(n->wall_seconds_least, 2000.16 / 8);
}

Sample sample(std::int64_t ranks, double messages) {
  return {ranks, messages, static_cast<double>(ranks) * 0.01 + messages * 2e-6,
          static_cast<double>(ranks) * 8 * MiB};
}

TEST(Capacity, AMessageCostsMoreByTheLogarithmOfTheRanks) {
  const Host host{1e15, 1};
  EXPECT_DOUBLE_EQ(need({256, 1e6}, costs, host)->cpu_seconds_messages, 2 * 2.0);  // 16^2
  EXPECT_DOUBLE_EQ(need({65536, 1e6}, costs, host)->cpu_seconds_messages, 4 * 2.0);
  EXPECT_DOUBLE_EQ(need({4, 1e6}, costs, host)->cpu_seconds_messages, 2.0);  // no less than measured
}

TEST(Capacity, TwoPilotsTellRanksFromMessages) {
  const Costs found = costs_of(sample(4, 1e6), sample(16, 1.2e6), {});
  EXPECT_EQ(found.ranks, 16);
  EXPECT_NEAR(found.cpu_seconds_per_rank, 0.01, 1e-9);
  EXPECT_NEAR(found.cpu_seconds_per_message, 2e-6, 1e-12);
  EXPECT_NEAR(found.bytes_per_rank, 8 * MiB, 1);
}

TEST(Capacity, WhereTheyCannotAMessageCostsWhatIsUsual) {
  const Costs usual{.cpu_seconds_per_message = 3e-6};
  const Costs found = costs_of(sample(4, 1e4), sample(16, 4e4), usual);
  EXPECT_DOUBLE_EQ(found.cpu_seconds_per_message, 3e-6);
  EXPECT_NEAR(16 * found.cpu_seconds_per_rank + 4e4 * 3e-6, sample(16, 4e4).cpu_seconds, 1e-9);
  // Never more than the whole time.
  EXPECT_DOUBLE_EQ(
      costs_of(sample(4, 1e4), sample(16, 4e4), {.cpu_seconds_per_message = 1}).cpu_seconds_per_rank, 0);
}

TEST(Capacity, MessagesGrowAlongALineButNeverShrink) {
  EXPECT_DOUBLE_EQ(messages_of(sample(4, 100), sample(16, 220), 100), 220 + 84 * 10);
  EXPECT_DOUBLE_EQ(messages_of(sample(4, 500), sample(16, 220), 100), 220);
}

TEST(Capacity, CostsAreReadBack) {
  const std::string path = testing::TempDir() + "/capacity.json";
  const Host host{1e12, 4};
  std::ofstream(path) << to_json({100, 5}, costs, host, *need({100, 5}, costs, host));
  const auto read = read_costs(path);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->ranks, costs.ranks);
  EXPECT_DOUBLE_EQ(read->cpu_seconds_per_message, costs.cpu_seconds_per_message);
  EXPECT_DOUBLE_EQ(read->cpu_seconds_per_rank, costs.cpu_seconds_per_rank);
  EXPECT_DOUBLE_EQ(read->bytes_per_rank, costs.bytes_per_rank);
  for (const char* bad : {"", "[]", "{\"costs\": 3}", "{\"costs\": {\"ranks\": 1}}"}) {
    std::ofstream(path) << bad;
    EXPECT_FALSE(read_costs(path)) << bad;
  }
  std::remove(path.c_str());
}

}  // namespace
}  // namespace emu::app::capacity
