// Threads that take monitor in using a rank, without the rank.
#include "rank/monitor.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace emu::rank {
namespace {

class Waiting final : public Goal {
 public:
  void offer(Event&) override {}
  void add_sources(const Event&, SourceList&) const override {}
  bool waits_only_for(const match::Posted&) const override { return true; }
  void handle(const Event&) override {}
  Interval reaction() const override { return {}; }
  void describe(match::Waiting&) const override {}
  bool may_be_over() const override { return may_be_over_; }

  std::atomic<bool> may_be_over_ = true;
};

// The first thread leads. The second one waits until it is allowed to continue.
class MonitorTest : public testing::Test {
 protected:
  MonitorTest()
      : monitor_({[] { return true; }, [this](int) { return others_; },
                  [this] {
                    ++looks_;
                    return Monitor::Others{true, true, {}};
                  },
                  [this] { return rest_; }},
                 [] {}) {
    monitor_.at_switches([this] { ++away_; }, [](const char*) {});
    monitor_.enter();
    waiter_.emplace(monitor_, goal_, true, "MPI_Wait");
    EXPECT_TRUE(waiter_->may_sleep());
    second_ = std::thread([this] {
      monitor_.enter();
      Monitor::Waiter waiter(monitor_, second_goal_, true, "MPI_Recv");
      while (!over_) {
        waiter.looks();
        if (waiter.may_sleep()) monitor_.release(), monitor_.take();
      }
      monitor_.leave();
    });
    sleep_until_it_waits();
  }
  ~MonitorTest() override {
    over_ = second_goal_.may_be_over_ = true;
    waiter_->acts(false);
    waiter_.reset();
    monitor_.leave();
    second_.join();
  }
  // A thread that leaves has the lock until it waits.
  void sleep_until_it_waits() {
    const int before = away_;
    monitor_.release();
    while (away_ < before + 2) std::this_thread::yield();
    monitor_.take();
    waiter_->looks();
  }

  bool others_ = false, rest_ = false;
  int looks_ = 0;
  std::atomic<int> away_ = 0;
  std::atomic<bool> over_ = false;
  Monitor monitor_;
  Waiting goal_, second_goal_;
  std::optional<Monitor::Waiter> waiter_;
  std::thread second_;
};

TEST_F(MonitorTest, AThreadThatIsCalledMayGoOn) {
  EXPECT_TRUE(monitor_.others().nothing);
  waiter_->acts(false);
  EXPECT_FALSE(monitor_.others().nothing);
  sleep_until_it_waits();
  EXPECT_TRUE(monitor_.others().nothing);
}

TEST_F(MonitorTest, AThreadWhoseWaitIsNotOverIsCalledOnceItMayBe) {
  second_goal_.may_be_over_ = false;
  waiter_->acts(false);
  const int before = away_;
  monitor_.release();
  monitor_.take();
  EXPECT_EQ(away_, before + 1);  // the leader itself
  EXPECT_TRUE(monitor_.others().nothing);
  second_goal_.may_be_over_ = true;
  EXPECT_FALSE(monitor_.others().nothing);
  sleep_until_it_waits();
  EXPECT_TRUE(monitor_.others().nothing);
}

TEST_F(MonitorTest, AThreadCallsNoEarlierThanAStepThatDoesNotMoveTheClock) {
  const Instant at = Instant() + Interval::picoseconds(7);
  monitor_.steps(at);
  monitor_.steps(at - Interval::picoseconds(2));
  waiter_->acts(true);
  EXPECT_EQ(monitor_.promised(), at);
  EXPECT_EQ(monitor_.stepped(), at);
}

TEST_F(MonitorTest, OthersAreLookedAtAfterASleep) {
  others_ = true;
  waiter_->acts(true);
  EXPECT_FALSE(monitor_.others(true).nothing);
  monitor_.release();
  monitor_.take();
  EXPECT_TRUE(monitor_.others().nothing);
  EXPECT_EQ(looks_, 1);
}

TEST_F(MonitorTest, OthersThatAreExpectedToRestAreLookedAtBeforeASleep) {
  others_ = rest_ = true;
  waiter_->acts(true);
  EXPECT_FALSE(monitor_.others().nothing);
  waiter_->acts(true);
  EXPECT_TRUE(monitor_.others(true).nothing);
  EXPECT_EQ(looks_, 1);
}

}  // namespace
}  // namespace emu::rank
