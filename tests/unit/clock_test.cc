#include "clock/clock.h"

#include <gtest/gtest.h>

#include "clock/meter.h"

namespace emu::clock {
namespace {

Instant at(std::int64_t ps) { return Instant::from_picoseconds(ps); }

TEST(Clock, WaitsForwardOnly) {
  Clock clock;
  clock.compute(Interval::picoseconds(100));
  clock.wait_until(at(90), {});
  EXPECT_EQ(clock.now(), at(100));
  EXPECT_EQ(clock.breakdown().wait.picoseconds(), 0);
  clock.wait_until(at(130), {});
  EXPECT_EQ(clock.now(), at(130));
  EXPECT_EQ(clock.breakdown().wait.picoseconds(), 30);
}

TEST(Clock, TheBreakdownAddsUpToNow) {
  Clock clock;
  clock.compute(Interval::picoseconds(1));
  clock.send(Interval::picoseconds(20), 7);
  clock.receive(Interval::picoseconds(300), 0);
  clock.poll(Interval::picoseconds(2000), 2);
  clock.control_send(Interval::picoseconds(20000));
  clock.control_receive(Interval::picoseconds(30000));
  EXPECT_EQ(Instant::start() + clock.path().total(), clock.now());
  EXPECT_EQ(clock.path().sends, 2);
  EXPECT_EQ(clock.path().sent_bytes, 8);  // a control message is one byte
  EXPECT_EQ(clock.path().receives, 2);
  EXPECT_EQ(clock.path().received_bytes, 2);  // so is an empty one
  EXPECT_EQ(clock.path().polls, 2);
  clock.wait_until(at(654321), {});
  EXPECT_EQ(clock.breakdown().wait.picoseconds(), 600000);
  EXPECT_EQ(Instant::start() + clock.breakdown().total(), clock.now());
}

TEST(Clock, TheLaterOneBringsItsPath) {
  Clock clock;
  clock.compute(Interval::picoseconds(100));
  trace::Path other;
  other.latency = Interval::picoseconds(100);
  clock.wait_until(at(100), other);  // a tie: the one that is there stays
  EXPECT_EQ(clock.path().latency, Interval());
  other.travel(Interval::picoseconds(1), 1);
  clock.wait_until(at(101), other);
  EXPECT_EQ(clock.path(), other);
  clock.compute(Interval::picoseconds(5));
  EXPECT_EQ(Instant::start() + clock.path().total(), clock.now());
}

// Down in [100, 150) and [200, 300).
Clock with_outages() {
  return Clock(model::Outages({{at(100), at(150)}, {at(200), at(300)}}), [] {});
}

TEST(Clock, ACostIsPaidOnceTheNodeIsUpAgain) {
  Clock clock = with_outages();
  clock.compute(Interval::picoseconds(90));
  clock.send(Interval::picoseconds(70), 1);  // 10 before, 50 between the two, 10 after
  EXPECT_EQ(clock.now(), at(310));
  EXPECT_EQ(clock.breakdown().compute.picoseconds(), 90);
  EXPECT_EQ(clock.breakdown().send_overhead.picoseconds(), 70);
  EXPECT_EQ(clock.breakdown().wait.picoseconds(), 0);
  EXPECT_EQ(clock.breakdown().down.picoseconds(), 150);
  EXPECT_EQ(clock.path().down.picoseconds(), 150);
  EXPECT_EQ(Instant::start() + clock.path().total(), clock.now());
  clock = with_outages();
  clock.poll(Interval::picoseconds(50), 2);  // as good as at 100
  EXPECT_EQ(clock.now(), at(150));
  EXPECT_EQ(clock.breakdown().poll.picoseconds(), 100);
  EXPECT_EQ(clock.breakdown().down.picoseconds(), 50);
}

TEST(Clock, ComputingLeavesOutWhatTheNodeIsDown) {
  Clock clock = with_outages();
  clock.compute_until(at(250));  // no speed makes that of a node that is down then, but up to there
  EXPECT_EQ(clock.now(), at(300));
  EXPECT_EQ(clock.breakdown().compute.picoseconds(), 150);
  EXPECT_EQ(clock.breakdown().down.picoseconds(), 150);
  EXPECT_EQ(clock.path().compute.picoseconds(), 150);
  EXPECT_EQ(clock.path().down.picoseconds(), 150);
}

// All of it is time with the node down; on the path is what comes after the other one's.
TEST(Clock, WaitingLeavesOutWhatTheNodeIsDown) {
  Clock clock = with_outages();
  trace::Path other;
  other.latency = Interval::picoseconds(220);
  clock.wait_until(at(220), other);
  EXPECT_EQ(clock.now(), at(300));
  EXPECT_EQ(clock.breakdown().wait.picoseconds(), 150);
  EXPECT_EQ(clock.breakdown().down.picoseconds(), 150);
  EXPECT_EQ(clock.path().latency.picoseconds(), 220);
  EXPECT_EQ(clock.path().down.picoseconds(), 80);
}

TEST(DeclaredMeter, OnlyWhatIsDeclaredCounts) {
  DeclaredMeter meter;
  meter.start();
  for (volatile int i = 0; i < 100000;) i = i + 1;
  EXPECT_EQ(meter.take().picoseconds(), 0);
  EXPECT_FALSE(meter.measures());
}

TEST(DeclaredMeter, AsDeclared) { EXPECT_EQ(DeclaredMeter().declare(1e-6).picoseconds(), 1'000'000); }

// A margin of two either way: the machine may be busy, and CPU time does not count that.
TEST(CpuMeter, ScalesThisThreadsTimeToTheReferenceCpu) {
  CpuMeter meter(4.0);  // a host of four times the reference speed
  meter.start();
  const std::int64_t before = thread_cpu_nanoseconds();
  std::int64_t after = before;
  while (after < before + 20'000'000) after = thread_cpu_nanoseconds();
  const auto charged = static_cast<double>(meter.take().picoseconds());
  const double used = static_cast<double>(after - before) * 1000.0;
  EXPECT_GE(charged, 4.0 * used);
  EXPECT_LT(charged, 8.0 * used);
}

TEST(CpuMeter, ADeclarationReplacesWhatWasMeasured) {
  CpuMeter meter(1.0);
  meter.start();
  const std::int64_t until = thread_cpu_nanoseconds() + 20'000'000;
  while (thread_cpu_nanoseconds() < until) {
  }
  EXPECT_EQ(meter.declare(1.0).picoseconds(), 1'000'000'000'000);
  EXPECT_LT(meter.take().picoseconds(), 10'000'000'000);
}

}  // namespace
}  // namespace emu::clock
