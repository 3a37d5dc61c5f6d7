// The protocol of the reduction in a world where messages take any time and ranks fail at any moment. No rank
// waits forever, all live ranks agree on the outcome, results are right, and pieces with two copies survive.
#include <gtest/gtest.h>

#include <algorithm>

#include "reduce_world.h"

namespace reduce {
namespace {

struct Counts {
  int done = 0;
  int failed = 0;
};

std::string text(const Scene& scene) {
  std::string text = "ranks " + std::to_string(scene.ranks) + ", jobs " + std::to_string(scene.jobs) +
                     ", root " + std::to_string(scene.root) + ", heir " + std::to_string(scene.heir) +
                     ", dealer " + std::to_string(scene.dealer) + ", copies " + std::to_string(scene.copies) +
                     ", count " + std::to_string(scene.count) + ", seed " + std::to_string(scene.seed);
  for (int rank : scene.risky) text += ", at risk " + std::to_string(rank);
  for (const auto& [rank, at] : scene.failures)
    text += ", " + std::to_string(rank) + " fails at " + std::to_string(at);
  return text;
}

void check_result(World& world, const Scene& scene, int job, const Outcome& outcome, int at) {
  const Memory result = world.peer(at).take_result(job);
  ASSERT_TRUE(result) << "rank " << at << " has no result of job " << job;
  for (std::int64_t i = 0; i < scene.count; ++i)
    ASSERT_EQ(Affinities::at(result, i), world.expected(job, i, outcome.left_out))
        << "job " << job << ", element " << i;
}

void check_job(World& world, const Scene& scene, int job, Counts& counts) {
  std::optional<Outcome> agreed;
  for (int rank = 0; rank < scene.ranks; ++rank) {
    if (!world.lives(rank)) continue;
    const Outcome* const outcome = world.peer(rank).outcome(job);
    ASSERT_TRUE(outcome) << "rank " << rank << " waits for ever for job " << job;
    if (!agreed) agreed = *outcome;
    ASSERT_EQ(agreed->root, outcome->root);
    ASSERT_EQ(agreed->lost, outcome->lost);
    ASSERT_EQ(agreed->left_out, outcome->left_out);
  }
  if (!agreed) return;
  ++(agreed->root == none ? counts.failed : counts.done);
  if (agreed->root != none && world.lives(agreed->root))
    check_result(world, scene, job, *agreed, agreed->root);
  for (int lost : agreed->lost) ASSERT_TRUE(scene.failures.contains(lost)) << lost << " is said to be lost";
  // An input with more copies than failures, stored before the first failure, is not lost.
  if (static_cast<int>(scene.failures.size()) >= scene.copies || scene.count == 0) return;
  for (int lost : agreed->lost)
    ASSERT_FALSE(world.stored(lost, job)) << "stored, and lost: " << lost << ", job " << job;
}

Counts play(const Scene& scene) {
  SCOPED_TRACE(text(scene));
  Counts counts;
  World world(scene);
  world.run();
  for (int rank = 0; rank < scene.ranks; ++rank) {
    if (!world.lives(rank)) continue;
    EXPECT_FALSE(world.peer(rank).excluded());
    EXPECT_TRUE(world.peer(rank).ended()) << "rank " << rank << " never ends";
  }
  for (int job = 0; job < scene.jobs; ++job) check_job(world, scene, job, counts);
  return counts;
}

Scene random_scene(std::mt19937& random) {
  const auto up_to = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n + 1)); };
  Scene scene;
  scene.ranks = 1 + up_to(9);
  scene.jobs = 1 + up_to(4);
  scene.root = up_to(scene.ranks - 1);
  scene.heir = up_to(scene.ranks - 1);
  scene.dealer = up_to(scene.ranks - 1);
  scene.copies = 2 + up_to(1);
  scene.count = up_to(12);
  scene.tree = up_to(3) != 0;
  scene.leave_out = up_to(3) == 0;
  scene.only_watchers_notice = up_to(1) != 0;
  if (up_to(2) == 0) scene.risky = {up_to(scene.ranks - 1), up_to(scene.ranks - 1)};
  scene.seed = random();
  return scene;
}

int steps_of(const Scene& scene) {
  World world(scene);
  return world.run();
}

TEST(Protocol, WithoutFailuresEverythingIsDone) {
  std::mt19937 random(1);
  for (int i = 0; i < 300 && !testing::Test::HasFailure(); ++i) {
    const Scene scene = random_scene(random);
    EXPECT_EQ(play(scene).done, scene.jobs);
  }
}

void failures(int number, int scenes, std::uint32_t seed) {
  std::mt19937 random(seed);
  Counts all;
  for (int i = 0; i < scenes && !testing::Test::HasFailure(); ++i) {
    Scene scene = random_scene(random);
    scene.ranks += number;
    const int steps = steps_of(scene);
    while (static_cast<int>(scene.failures.size()) < number)
      scene.failures[static_cast<int>(random() % static_cast<unsigned>(scene.ranks))] =
          static_cast<int>(random() % static_cast<unsigned>(steps + 1));
    const Counts counts = play(scene);
    all.done += counts.done;
    all.failed += counts.failed;
  }
  // Some reductions of each kind, otherwise the test checks nothing.
  EXPECT_GT(all.done, scenes / 2);
  EXPECT_GT(all.failed, scenes / 100);
}

// For any number of jobs, memory holds only the pieces of open jobs (at most twice the window) and sums.
// Blocks here are not larger than a third of the vector; another rank makes the block of a failed rank.
TEST(Protocol, MemoryIsBounded) {
  std::mt19937 random(5);
  constexpr int open_jobs = 4, ranks = 6;
  constexpr std::int64_t count = 60, vector = count * sizeof(Affine), block = vector / 3;
  for (int i = 0; i < 60 && !testing::Test::HasFailure(); ++i) {
    Scene scene;
    scene.ranks = ranks;
    scene.dealer = static_cast<int>(random() % ranks);
    scene.jobs = 30;
    scene.count = count;
    scene.seed = random();
    const bool fails = i % 2 != 0;
    if (fails) scene.failures[static_cast<int>(random() % ranks)] = static_cast<int>(random() % 3000);
    SCOPED_TRACE(text(scene));
    World world(scene);
    world.run();
    const std::int64_t made = ranks * block + block;  // pieces and sum
    EXPECT_LE(world.most_held(), open_jobs * (vector + (fails ? 2 : 1) * made + block));
    EXPECT_GE(world.most_held(), fails ? 0 : 2 * vector);
  }
}

TEST(Protocol, OneFailure) { failures(1, 1500, 2); }
TEST(Protocol, TwoFailures) { failures(2, 1500, 3); }
TEST(Protocol, ThreeFailures) { failures(3, 500, 4); }

TEST(Speed, OnlyWhatLastsCounts) {
  constexpr int usual = 40;
  const auto expected = [](int now, int earlier) {
    return speed::expected(speed::seen(speed::both({now, earlier})), usual);
  };
  EXPECT_EQ(expected(0, 0), usual);
  // Known once: half of a deviation to the slower side, none to the faster side.
  EXPECT_EQ(expected(30, 0), 35);
  EXPECT_EQ(expected(60, 0), usual);
  // Known twice: the deviation that both share.
  EXPECT_EQ(expected(30, 30), 30);
  EXPECT_EQ(expected(30, 20), 30);
  EXPECT_EQ(expected(20, 30), 30);
  EXPECT_EQ(expected(60, 50), 50);
  EXPECT_EQ(expected(254, 254), 254);
  EXPECT_EQ(expected(30, 50), usual);
  EXPECT_EQ(expected(50, 30), usual);
}

}  // namespace
}  // namespace reduce
