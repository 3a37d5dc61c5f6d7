// The tree of minima, compared with a look at every bound.
#include "wire/minima.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <random>
#include <set>
#include <thread>
#include <vector>

namespace emu::wire {
namespace {

class Tree {
 public:
  explicit Tree(int ranks)
      : ranks_(ranks),
        cells_(new Bound[static_cast<std::size_t>(ranks) + Minima::inner_cells(ranks)]()),
        minima(cells_.get(), cells_.get() + ranks, ranks) {}

  std::int64_t bound(int rank) const { return cells_[static_cast<std::size_t>(rank)].bound(); }
  // As a sender: only lowers.
  void lower(int rank, std::int64_t to) {
    Bound& cell = cells_[static_cast<std::size_t>(rank)];
    for (;;) {
      const Bound::Value value = cell.load();
      const std::int64_t bound = std::min(value.bound, to);
      if (!cell.exchange(value, {bound, value.announced + 1})) continue;
      if (bound < value.bound) minima.lowered(rank);
      return;
    }
  }
  // As the owner: only raises, and only if no announcement came since `seen`.
  bool raise(int rank, std::int64_t to, std::uint64_t seen) {
    Bound& cell = cells_[static_cast<std::size_t>(rank)];
    const Bound::Value value = cell.load();
    if (value.announced != seen || !cell.exchange(value, {to, seen})) return false;
    minima.raised(rank, value.bound);
    return true;
  }
  std::uint64_t announced(int rank) const { return cells_[static_cast<std::size_t>(rank)].announced(); }
  std::set<int> below(std::int64_t needed) {
    std::set<int> found;
    minima.below(needed, [&](int rank) { return found.insert(rank).second; });
    return found;
  }
  std::set<int> looked_at(std::int64_t needed) const {
    std::set<int> found;
    for (int i = 0; i < ranks_; ++i)
      if (bound(i) < needed) found.insert(i);
    return found;
  }

 private:
  const int ranks_;
  std::unique_ptr<Bound[]> cells_;

 public:
  Minima minima;
};

TEST(MinimaTest, FindsWhatLookingAtEveryBoundFinds) {
  std::mt19937 random(7);
  for (int ranks : {1, 2, 7, 8, 9, 63, 64, 65, 200, 513}) {
    Tree tree(ranks);
    EXPECT_EQ(tree.below(1).size(), static_cast<std::size_t>(ranks));
    for (int step = 0; step < 3000; ++step) {
      const int rank = static_cast<int>(random() % static_cast<unsigned>(ranks));
      const std::int64_t now = tree.bound(rank), by = random() % 50;
      if (random() % 3 != 0)
        ASSERT_TRUE(tree.raise(rank, now + by, tree.announced(rank)));
      else
        tree.lower(rank, now - std::min(now, by));
      const std::int64_t needed = tree.bound(static_cast<int>(random() % static_cast<unsigned>(ranks))) + 1;
      ASSERT_EQ(tree.below(needed), tree.looked_at(needed)) << ranks << " ranks, step " << step;
    }
  }
}

TEST(MinimaTest, ALoweringIsToldToTheRoot) {
  Tree tree(100);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(tree.raise(i, 1000, 0));
  EXPECT_TRUE(tree.below(1000).empty());
  const std::uint64_t before = tree.minima.lowerings();
  tree.lower(77, 2000);  // not lower
  EXPECT_EQ(tree.minima.lowerings(), before);
  tree.lower(77, 500);
  EXPECT_NE(tree.minima.lowerings(), before);
  EXPECT_EQ(tree.below(1000), std::set<int>{77});
}

// Ranks act at their bounds: each lowers another's bound to a later instant, and only
// then raises its own. So the minimum of all bounds never falls. After a walk without
// lowerings has found no rank below a value, no later walk finds one below it.
TEST(MinimaTest, TheLeastOfAllBoundsNeverFallsUnderConcurrency) {
  constexpr int ranks = 24, threads = 4;
  Tree tree(ranks);
  std::atomic<std::int64_t> floor = 0;
  std::atomic<bool> over = false;
  std::atomic<int> wrong = 0;
  const auto act = [&](int thread) {
    std::mt19937 random(static_cast<unsigned>(thread));
    while (!over) {
      const int rank = thread + threads * static_cast<int>(random() % (ranks / threads));
      const std::int64_t least = floor;
      const std::uint64_t seen = tree.announced(rank);
      const std::int64_t now = tree.bound(rank);
      if (now < least) ++wrong;
      if (now > least + 400) continue;  // it is too far ahead
      tree.lower(static_cast<int>(random() % ranks), now + 1 + random() % 20);
      tree.raise(rank, now + 1 + random() % 200, seen);
    }
  };
  std::thread reader([&] {
    std::int64_t needed = 1;
    while (needed < 4000) {
      const std::uint64_t lowerings = tree.minima.lowerings();
      bool nobody = true;
      tree.minima.below(needed, [&](int) { return nobody = false; });
      if (!nobody || lowerings != tree.minima.lowerings()) continue;
      floor = needed++;
    }
    over = true;
  });
  std::vector<std::thread> actors;
  for (int i = 0; i < threads; ++i) actors.emplace_back(act, i);
  for (std::thread& t : actors) t.join();
  reader.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace emu::wire
