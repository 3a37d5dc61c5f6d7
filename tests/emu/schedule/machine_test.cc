// Schedules without stacks and on fibers: equal times and equal summaries, on random targets.
#include "schedule/machine.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "random_schedule.h"
#include "reference/cluster/cluster.h"
#include "reference/program/batch.h"
#include "schedule/play.h"

namespace emu::app::schedules {
namespace {

constexpr const char* file = "random.goal";

// A schedule in a file, because the report of a deadlock reads it again. `memory`: for operations.
Schedule written(const std::string& text, std::int64_t memory = std::int64_t{1} << 40) {
  std::ofstream(file) << text;
  Source source{.path = file, .memory = memory};
  source.unit = Interval::picoseconds(1);
  const auto schedule = load(source);
  EXPECT_TRUE(schedule) << (schedule ? "" : schedule.error().message) << text;
  return schedule ? *schedule : Schedule();
}

Result<target::Target> target_of(const reference::Batch& batch) {
  target::Sources sources{.text = reference::target_file(batch.cluster, "random")};
  for (const reference::File& profile : reference::profile_files(batch.cluster, "random"))
    sources.files[profile.name] = profile.text;
  return target::parse(sources, "random.toml");
}

void expect_same(const record::RunSummary& a, const record::RunSummary& b) {
  ASSERT_EQ(a.ranks.size(), b.ranks.size());
  for (std::size_t i = 0; i < a.ranks.size(); ++i) {
    const record::RankSummary &x = a.ranks[i], &y = b.ranks[i];
    EXPECT_EQ(x.finish.picoseconds(), y.finish.picoseconds()) << "rank " << i;
    EXPECT_TRUE(x.path == y.path) << "rank " << i;
    EXPECT_EQ(x.messages_sent, y.messages_sent);
    EXPECT_EQ(x.bytes_sent, y.bytes_sent);
    EXPECT_EQ(x.time.wait, y.time.wait);
    EXPECT_EQ(Instant::start() + x.time.total(), x.finish);
    EXPECT_EQ(x.time.handshake, y.time.handshake);
  }
}

// Nodes do not fail either.
void share_nothing(reference::Cluster& cluster) {
  cluster.network.card = model::Card::free;
  if (cluster.network.medium == model::Medium::bus) cluster.network.medium = model::Medium::network;
  cluster.outages.clear();
}

TEST(Machine, AsOnFibers) {
  int same = 0, deadlocks = 0, only_fibers = 0, handshakes = 0;
  for (std::uint64_t seed = 1; seed <= 800; ++seed) {
    reference::Batch batch = reference::make_batch(seed);
    if (seed % 4 != 0) share_nothing(batch.cluster);
    const auto target = target_of(batch);
    ASSERT_TRUE(target) << target.error().message;
    reference::Random random(seed);
    const std::int64_t limit = batch.cluster.network.always_eager ? 100 : batch.cluster.network.eager_limit;
    const std::string text = random_schedule(random, batch.ranks, limit, batch.unit);
    const Schedule schedule = written(text);
    const auto on_fibers = play_on_fibers(schedule, *target, "");
    if (!Machine::can_play(*target, batch.ranks)) {
      ++only_fibers;
      continue;
    }
    const auto played = Machine(schedule, *target).run();
    ASSERT_EQ(played.has_value(), on_fibers.has_value())
        << seed << "\n"
        << (on_fibers ? "" : on_fibers.error().message) << "\n"
        << text;
    if (!played) {
      ++deadlocks;
      continue;
    }
    expect_same(*played, *on_fibers);
    ASSERT_FALSE(HasFailure()) << "seed " << seed << ", " << describe(batch) << "\n" << text;
    for (const record::RankSummary& rank : played->ranks) handshakes += rank.time.handshake > Interval();
    ++same;
  }
  std::remove(file);
  std::printf("%d as on fibers, %d that do not end, %d targets for fibers only\n", same, deadlocks,
              only_fibers);
  EXPECT_GT(same, 150);
  EXPECT_GT(deadlocks, 50);
  EXPECT_GT(only_fibers, 100);
  EXPECT_GT(handshakes, 200);
}

// With a window of each rank's operations in memory.
TEST(Machine, StreamedAsInMemory) {
  int same = 0, deadlocks = 0, only_fibers = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    reference::Batch batch = reference::make_batch(seed);
    if (batch.ranks == 1) continue;
    if (seed % 3 != 0) share_nothing(batch.cluster);
    const auto target = target_of(batch);
    ASSERT_TRUE(target) << target.error().message;
    reference::Random random(seed);
    const std::int64_t limit = batch.cluster.network.always_eager ? 100 : batch.cluster.network.eager_limit;
    const std::string text = long_schedule(random, batch.ranks, limit, batch.unit);
    const Schedule in_memory = written(text);
    const Schedule streamed = written(text, static_cast<std::int64_t>(text.size()) - 1);
    for (const goal::Part& part : in_memory.parts) ASSERT_FALSE(part.streamed());
    for (const goal::Part& part : streamed.parts) ASSERT_TRUE(part.streamed());
    const auto expected = play(in_memory, *target, "");
    only_fibers += Machine::can_play(*target, batch.ranks) ? 0 : 1;
    for (const auto& played : {play(streamed, *target, ""), play_on_fibers(streamed, *target, "")}) {
      if (expected) {
        ASSERT_TRUE(played) << played.error().message;
        expect_same(*played, *expected);
      } else {
        ASSERT_FALSE(played);
        EXPECT_EQ(played.error().message, expected.error().message);
      }
    }
    ASSERT_FALSE(HasFailure()) << "seed " << seed << ", " << describe(batch);
    (expected ? same : deadlocks) += 1;
  }
  std::remove(file);
  std::printf("%d as in memory, %d that do not end, %d targets for fibers only\n", same, deadlocks,
              only_fibers);
  EXPECT_GT(same, 20);
  EXPECT_GT(deadlocks, 2);
  EXPECT_GT(only_fibers, 5);
}

}  // namespace
}  // namespace emu::app::schedules
