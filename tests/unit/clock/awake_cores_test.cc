#include "clock/awake_cores.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <thread>

namespace emu::clock {
namespace {

using namespace std::chrono_literals;

TEST(AwakeCores, UsableCoresAreThoseOfThisThread) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  const std::vector<int> cores = usable_cores(1000);
  ASSERT_FALSE(cores.empty());
  EXPECT_LE(static_cast<int>(cores.size()), CPU_COUNT(&allowed));
  EXPECT_TRUE(std::is_sorted(cores.begin(), cores.end()));
  for (const int core : cores) EXPECT_TRUE(CPU_ISSET(core, &allowed)) << core;
  EXPECT_EQ(usable_cores(1), std::vector<int>{cores.front()});
  EXPECT_TRUE(usable_cores(0).empty());
}

TEST(AwakeCores, EachThreadHasIdlePriorityAndItsCore) {
  if (!AwakeCores::possible()) GTEST_SKIP() << AwakeCores::possible().error().message;
  const std::vector<int> cores = usable_cores(1000);
  struct Seen {
    std::array<std::atomic<bool>, CPU_SETSIZE> cores{};
    std::atomic<bool> other_priority = false;
  };
  const auto seen = std::make_shared<Seen>();
  const auto complete = [&] {
    return std::all_of(cores.begin(), cores.end(),
                       [&](int core) { return seen->cores[static_cast<std::size_t>(core)].load(); });
  };
  {
    const AwakeCores awake(cores, [seen] {
      if (sched_getscheduler(0) != SCHED_IDLE) seen->other_priority = true;
      seen->cores[static_cast<std::size_t>(sched_getcpu())] = true;
      return false;
    });
    EXPECT_EQ(awake.threads().size(), cores.size());
    const auto begun = awake.begun(60s);
    if (!begun) GTEST_SKIP() << begun.error().message;
    for (int i = 0; i < 6000 && !complete(); ++i) std::this_thread::sleep_for(10ms);
  }
  if (!complete()) GTEST_SKIP() << "the cores are busy";
  EXPECT_FALSE(seen->other_priority);
  EXPECT_EQ(std::count(seen->cores.begin(), seen->cores.end(), true),
            static_cast<std::ptrdiff_t>(cores.size()));
  cpu_set_t own;
  ASSERT_EQ(sched_getaffinity(0, sizeof own, &own), 0);
  EXPECT_GE(CPU_COUNT(&own), static_cast<int>(cores.size())) << "the creator may use all cores still";
  EXPECT_NE(sched_getscheduler(0), SCHED_IDLE);
}

TEST(AwakeCores, WorkAfterAnIdleTimeTakesSomeTime) {
  EXPECT_GT(cold_factor(), 0.2);
  EXPECT_LT(cold_factor(), 20);
}

// A thread that gets no CPU time must not hold up its creator: this one never ends by itself.
TEST(AwakeCores, TheEndWaitsForNoThread) {
  const auto go_on = std::make_shared<std::atomic<bool>>(false);
  {
    const AwakeCores awake({usable_cores(1).front()}, [go_on] {
      while (!*go_on) std::this_thread::sleep_for(1ms);
      return false;
    });
  }
  *go_on = true;
}

}  // namespace
}  // namespace emu::clock
