// The planner of the task-parallel reduction, against workers that exist here only: their messages take their
// time, in any order but each channel's own, and some fail in the middle.
#include "planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>

namespace reduce {
namespace {

using Inputs = std::vector<int>;  // what a partial result was made of, sorted

class World {
 public:
  World(int workers, std::uint32_t seed)
      : planner(workers,
                [this](int to, const Order& order) {
                  begun |= order.kind == Order::begin;
                  orders_[to].push_back(order);
                }),
        workers_(workers),
        random_(seed),
        orders_(workers),
        reports_(workers),
        workers_of_(workers) {
    for (int w = 0; w < workers; ++w) say(w, {Report::stored, 0, none, none, 0});
  }

  // One thing happens; false: there is nothing left to happen.
  bool step() {
    std::vector<int> can;
    for (int w = 0; w < workers_; ++w) {
      if (!orders_[w].empty() && alive(w)) can.push_back(w);
      if (!reports_[w].empty()) can.push_back(workers_ + w);
      if (alive(w) && arrived(w)) can.push_back(2 * workers_ + w);
    }
    if (can.empty()) return false;
    const int what = can[random_() % can.size()];
    const int w = what % workers_;
    if (what < workers_) {
      const Order order = orders_[w].front();
      orders_[w].pop_front();
      obey(w, order);
    } else if (what < 2 * workers_) {
      const Report report = reports_[w].front();
      reports_[w].pop_front();
      planner.heard(w, report);
    } else {
      finish(w, *arrived(w));
    }
    return true;
  }

  // From now on `worker` does nothing. Messages on their way arrive, and the master notices some time later.
  void fail(int worker) { dead_.insert(worker); }
  void notice(int worker) { planner.failed(worker); }

  void run() {
    while (step()) continue;
  }

  // What the root has in the end; nothing if the reduction has failed.
  std::optional<Inputs> result;
  int completions = 0;
  bool begun = false;  // every input is stored twice
  int root = 0;
  Planner planner;

 private:
  struct Waiting {
    int task = none;
    int from = none;
    int kept = none;
    int made = none;
  };
  struct Worker {
    std::map<int, Inputs> partials;
    std::map<int, Waiting> waiting;  // by task
    std::map<int, Inputs> data;      // what arrived or will, by task
  };

  bool alive(int w) const { return !dead_.contains(w); }
  void say(int w, Report report) { reports_[w].push_back(report); }

  Inputs take(int w, int partial) {
    if (partial == none) return {};
    if (partial < workers_) {
      EXPECT_TRUE(partial == w || planner.holder_of_copy(partial) == w) << "an input that is not here";
      return {partial};
    }
    EXPECT_TRUE(workers_of_[w].partials.contains(partial)) << "a partial result that is not here";
    return workers_of_[w].partials[partial];
  }

  void obey(int w, const Order& order) {
    Worker& worker = workers_of_[w];
    switch (order.kind) {
      case Order::begin:
        return say(w, {Report::ready, 0, none, root, static_cast<double>(random_() % 10)});
      case Order::combine:
      case Order::receive:
        worker.waiting[order.task] = {order.task, order.peer, order.partial, order.result};
        return;
      case Order::send:
        workers_of_[order.peer].data[order.task] = take(w, order.partial);
        return;
      case Order::drop:
        if (worker.waiting.erase(order.task) != 0) say(w, {Report::dropped, 0, order.task, none, 0});
        return;
      case Order::complete:
        if (w == root) {
          ++completions;
          if (order.partial != none) result = take(w, order.partial);
        }
        return;
      default:
        return;
    }
  }

  std::optional<int> arrived(int w) const {
    for (const auto& [task, waiting] : workers_of_[w].waiting)
      if (workers_of_[w].data.contains(task)) return task;
    return {};
  }

  void finish(int w, int task) {
    Worker& worker = workers_of_[w];
    const Waiting waiting = worker.waiting[task];
    Inputs made = take(w, waiting.kept);
    made.insert(made.end(), worker.data[task].begin(), worker.data[task].end());
    std::sort(made.begin(), made.end());
    worker.partials[waiting.made] = made;
    worker.waiting.erase(task);
    say(w, {Report::done, 0, task, none, static_cast<double>(random_() % 10)});
  }

  const int workers_;
  std::mt19937 random_;
  std::vector<std::deque<Order>> orders_;
  std::vector<std::deque<Report>> reports_;
  std::vector<Worker> workers_of_;
  std::set<int> dead_;
};

Inputs all_of(int workers) {
  Inputs all(workers);
  for (int i = 0; i < workers; ++i) all[i] = i;
  return all;
}

TEST(Planner, CombinesEveryInputOnce) {
  for (int workers : {1, 2, 3, 8, 21}) {
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
      World world(workers, seed);
      world.root = static_cast<int>(seed) % workers;
      world.run();
      ASSERT_TRUE(world.result) << workers << " workers, seed " << seed;
      EXPECT_EQ(*world.result, all_of(workers));
      EXPECT_EQ(world.completions, 1);
    }
  }
}

// One failure is always survived, unless it is the root's, or happens before the input was stored twice.
TEST(Planner, SurvivesOneFailure) {
  int survived = 0;
  for (std::uint32_t seed = 0; seed < 3000; ++seed) {
    const int workers = 2 + static_cast<int>(seed % 11);
    World world(workers, seed);
    world.root = static_cast<int>(seed / 11) % workers;
    const int victim = (world.root + 1 + static_cast<int>(seed / 121) % (workers - 1)) % workers;
    for (std::uint32_t steps = 2 * workers + seed % (16 * workers); steps > 0 && world.step(); --steps)
      continue;
    if (world.completions != 0) continue;
    const bool begun = world.begun;
    world.fail(victim);
    for (std::uint32_t steps = seed % 40; steps > 0 && world.step(); --steps) continue;
    world.notice(victim);
    world.run();
    ASSERT_EQ(world.completions, 1) << "seed " << seed;
    ASSERT_TRUE(world.result || !begun) << "seed " << seed;
    if (!world.result) continue;
    survived += begun;
    EXPECT_EQ(*world.result, all_of(workers)) << "seed " << seed;
  }
  EXPECT_GT(survived, 900);
}

TEST(Planner, SurvivesSeveralFailuresOrSaysThatItDidNot) {
  int survived = 0;
  int lost = 0;
  for (std::uint32_t seed = 0; seed < 3000; ++seed) {
    const int workers = 12;
    World world(workers, seed);
    std::mt19937 random(seed);
    for (int failures = 0; failures < 4; ++failures) {
      for (std::uint32_t steps = random() % 40; steps > 0 && world.step(); --steps) continue;
      const int victim = 1 + static_cast<int>(random() % 11);
      world.fail(victim);
      for (std::uint32_t steps = random() % 20; steps > 0 && world.step(); --steps) continue;
      world.notice(victim);
    }
    world.run();
    ASSERT_EQ(world.completions, 1) << "seed " << seed;
    if (world.result) {
      EXPECT_EQ(*world.result, all_of(workers)) << "seed " << seed;
    }
    ++(world.result ? survived : lost);
  }
  EXPECT_GT(survived, 300);
  EXPECT_GT(lost, 300);
}

TEST(Planner, TheFasterOfTwoCombines) {
  std::vector<std::pair<int, Order>> orders;
  Planner planner(2, [&](int to, const Order& order) { orders.emplace_back(to, order); });
  for (int w : {0, 1}) planner.heard(w, {Report::stored, 0, none, none, 0});
  planner.heard(0, {Report::ready, 0, none, 0, 0.5});
  planner.heard(1, {Report::ready, 0, none, 0, 0.25});
  ASSERT_EQ(orders.size(), 4u);
  EXPECT_EQ(orders[2].first, 1);
  EXPECT_EQ(orders[2].second.kind, Order::combine);
  EXPECT_EQ(orders[3].first, 0);
  EXPECT_EQ(orders[3].second.kind, Order::send);
  planner.heard(1, {Report::done, 0, orders[2].second.task, none, 0.25});
  ASSERT_EQ(orders.size(), 6u);  // the result goes to the root
  EXPECT_EQ(orders[4].second.kind, Order::receive);
  EXPECT_EQ(orders[4].first, 0);
}

}  // namespace
}  // namespace reduce
