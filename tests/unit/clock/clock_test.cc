#include "clock/clock.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <vector>

#include "clock/disturbance.h"
#include "clock/meter.h"

namespace emu::clock {
namespace {

Instant at(std::int64_t ps) { return Instant::from_picoseconds(ps); }

// Work on a CPU of the reference speed that is changed by `windows`.
void compute(Clock& clock, std::int64_t work, std::vector<model::Windows::Window> windows = {}) {
  model::Speed speed;
  if (!windows.empty()) speed.change(std::make_shared<model::Windows>(std::move(windows)));
  const Interval w = Interval::picoseconds(work);
  clock.compute(w, speed.done(w, clock.now(), clock.outages().end()));
}

TEST(Clock, WaitsForwardOnly) {
  Clock clock;
  compute(clock, 100);
  clock.wait_until(at(90), {});
  EXPECT_EQ(clock.now(), at(100));
  EXPECT_EQ(clock.breakdown().wait.picoseconds(), 0);
  clock.wait_until(at(130), {});
  EXPECT_EQ(clock.now(), at(130));
  EXPECT_EQ(clock.breakdown().wait.picoseconds(), 30);
}

TEST(Clock, TheBreakdownAddsUpToNow) {
  Clock clock;
  compute(clock, 1);
  clock.send(Interval::picoseconds(20), 7);
  clock.receive(Interval::picoseconds(300), 0);
  clock.poll(Interval::picoseconds(2000));
  clock.poll(Interval::picoseconds(2000));
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
  compute(clock, 100);
  record::Path other;
  other.latency = Interval::picoseconds(100);
  clock.wait_until(at(100), other);  // a tie: the present path remains
  EXPECT_EQ(clock.path().latency, Interval());
  other.travel(Interval::picoseconds(1), 1);
  clock.wait_until(at(101), other);
  EXPECT_EQ(clock.path(), other);
  compute(clock, 5);
  EXPECT_EQ(Instant::start() + clock.path().total(), clock.now());
}

// It polled for 80 and slept 60 of them. At 100 it found the message of 80; its previous look was at 75.
TEST(Clock, WhatIsFoundByPollingBringsItsPath) {
  Clock clock;
  compute(clock, 20);
  clock.poll(Interval::picoseconds(20));
  record::Path asleep = clock.path();
  asleep.asleep += Interval::picoseconds(60);
  clock.wait_until(at(100), asleep);
  record::Path other;
  other.travel(Interval::picoseconds(80), 1);
  clock.wait_until(at(80), other);  // no poll looked for it
  EXPECT_EQ(clock.path().asleep.picoseconds(), 60);
  EXPECT_FALSE(clock.take_late());
  clock.polled({at(80), at(20), {}, {}, Interval::picoseconds(10)});
  clock.wait_until(at(80), other);  // it had arrived before the polls looked for it
  EXPECT_FALSE(clock.take_late());
  clock.polled({at(75), at(20), {}, {}, Interval::picoseconds(10)});
  clock.wait_until(at(80), other);
  EXPECT_EQ(clock.take_late(), Interval::picoseconds(20));
  EXPECT_FALSE(clock.take_late());
  EXPECT_EQ(clock.path().latencies, 1);
  EXPECT_EQ(clock.path().asleep.picoseconds(), 15);
  EXPECT_EQ(clock.path().poll.picoseconds(), 5);
  EXPECT_EQ(clock.path().polls, 0.5);
  EXPECT_EQ(clock.path().compute, Interval());
  EXPECT_EQ(clock.now(), at(100));
  EXPECT_EQ(Instant::start() + clock.path().total(), clock.now());
}

// Down in [100, 150) and [200, 300).
Clock with_outages() {
  return Clock(model::Outages({{at(100), at(150)}, {at(200), at(300)}}), [] {});
}

TEST(Clock, ACostIsPaidOnceTheNodeIsUpAgain) {
  Clock clock = with_outages();
  compute(clock, 90);
  clock.send(Interval::picoseconds(70), 1);  // 10 before, 50 between the two, 10 after
  EXPECT_EQ(clock.now(), at(310));
  EXPECT_EQ(clock.breakdown().compute.picoseconds(), 90);
  EXPECT_EQ(clock.breakdown().send_overhead.picoseconds(), 70);
  EXPECT_EQ(clock.breakdown().wait.picoseconds(), 0);
  EXPECT_EQ(clock.breakdown().down.picoseconds(), 150);
  EXPECT_EQ(clock.path().down.picoseconds(), 150);
  EXPECT_EQ(Instant::start() + clock.path().total(), clock.now());
  clock = with_outages();
  clock.poll(Interval::picoseconds(50));
  clock.poll(Interval::picoseconds(50));  // ends at 100, when the node goes down
  EXPECT_EQ(clock.now(), at(150));
  EXPECT_EQ(clock.breakdown().poll.picoseconds(), 100);
  EXPECT_EQ(clock.breakdown().down.picoseconds(), 50);
}

TEST(Clock, ComputingLeavesOutWhatTheNodeIsDown) {
  Clock clock = with_outages();
  compute(clock, 210, {{at(100), at(150), 0}, {at(200), at(300), 0}});
  EXPECT_EQ(clock.now(), at(360));
  EXPECT_EQ(clock.breakdown().compute.picoseconds(), 210);
  EXPECT_EQ(clock.breakdown().down.picoseconds(), 150);
  EXPECT_EQ(clock.path().compute.picoseconds(), 210);
  EXPECT_EQ(clock.path().down.picoseconds(), 150);
  EXPECT_EQ(clock.path().stopped, Interval());
}

TEST(Clock, WorkThatWaitsForASpeedIsACauseOfItsOwn) {
  Clock clock = with_outages();  // [160, 170) and [290, 320) at speed 0, as it is while the node is down
  compute(clock, 150, {{at(100), at(150), 0}, {at(160), at(170), 0}, {at(200), at(320), 0}});
  EXPECT_EQ(clock.now(), at(330));
  EXPECT_EQ(clock.breakdown().compute.picoseconds(), 180);
  EXPECT_EQ(clock.path().compute.picoseconds(), 150);
  EXPECT_EQ(clock.path().stopped.picoseconds(), 30);
  EXPECT_EQ(clock.path().down.picoseconds(), 150);
  EXPECT_EQ(Instant::start() + clock.path().total(), clock.now());
}

// A send that ends 1 ps later leaves 4 ps more of work at a quarter of the speed.
TEST(Clock, WhatComesBeforeAChangeOfSpeedWeighsAsMuchAsTheSpeedsDiffer) {
  const std::vector<model::Windows::Window> quarter = {{at(100), at(1000), model::one / 4}};
  for (int later : {0, 1}) {
    Clock clock;
    clock.send(Interval::picoseconds(40 + later), 1);
    compute(clock, 70, quarter);  // 60 before
    EXPECT_EQ(clock.now(), at(140 + 4 * later));
    EXPECT_EQ(clock.path().sends, 4);
    EXPECT_EQ(clock.path().work, 4 * 70);
    clock.send(Interval::picoseconds(5), 1);
    EXPECT_EQ(clock.path().sends, 5);
    compute(clock, 1, quarter);
    EXPECT_EQ(clock.path().sends, 5);
    EXPECT_EQ(clock.path().work, 4 * 70 + 4);
  }
}

TEST(Clock, NothingWeighsBeforeAnInstantThatTheTargetSets) {
  Clock clock;
  clock.send(Interval::picoseconds(40), 1);
  compute(clock, 10, {{at(20), at(100), 0}});  // begins at speed 0
  EXPECT_EQ(clock.now(), at(110));
  EXPECT_EQ(clock.path().sends, 0);
  EXPECT_EQ(clock.path().work, 10);
  record::Path other;
  other.travel(Interval::picoseconds(120), 1);
  clock = with_outages();
  clock.wait_until(at(120), other);
  EXPECT_EQ(clock.now(), at(150));
  EXPECT_EQ(clock.path().latencies, 0);
  other.travel(Interval::picoseconds(60), 1);
  clock.wait_until(at(180), other);  // over by then
  EXPECT_EQ(clock.path().latencies, 2);
}

struct Failed {};

TEST(Clock, NothingWeighsInAFailureForGood) {
  Clock clock(model::Outages({{at(100), Instant::never()}}), [] { throw Failed(); });
  clock.send(Interval::picoseconds(40), 1);
  EXPECT_THROW(compute(clock, 70, {{at(100), Instant::never(), 0}}), Failed);
  EXPECT_EQ(clock.path().compute.picoseconds(), 60);
  EXPECT_EQ(clock.path().sends, 0);
  EXPECT_EQ(clock.path().work, 0);
}

struct Overrun {
  Instant before;
};

TEST(Clock, NothingPassesTheLastInstant) {
  const Instant last = Instant::last();
  const auto clock_at = [&](Interval before) {
    Clock clock({}, nullptr, [](Instant showed) { throw Overrun{showed}; });
    clock.wait_until(last - before, {});
    return clock;
  };
  const Interval one = Interval::picoseconds(1), two = Interval::picoseconds(2), all = Interval::longest();
  Clock clock = clock_at(two);
  clock.send(two, 1);
  EXPECT_EQ(clock.now(), last);
  EXPECT_THROW(clock.receive(one, 1), Overrun);
  EXPECT_EQ(clock.now(), last);
  EXPECT_THROW(clock_at(one).send(two, 1), Overrun);
  EXPECT_THROW(clock_at(one).control_send(two), Overrun);
  EXPECT_THROW(clock_at(one).control_receive(all), Overrun);
  EXPECT_THROW(clock_at(one).poll(all), Overrun);
  EXPECT_THROW(clock_at(one).wait_until(Instant::never(), {}), Overrun);
  EXPECT_THROW(clock_at(one).check(last + one), Overrun);
  EXPECT_NO_THROW(clock_at(one).check(last));
  Clock passed = clock_at(two);
  try {
    passed.send(all, 1);
    FAIL() << "the clock shows " << passed.now().picoseconds() << " ps";
  } catch (const Overrun& overrun) {
    EXPECT_EQ(overrun.before, last - two);
    EXPECT_EQ(passed.now(), last);  // ranks with earlier clocks run first
  }
}

TEST(Clock, AnOutageBehindWhichNothingIsLeft) {
  const Interval one = Interval::picoseconds(1);
  Clock clock(model::Outages({{Instant::last() - one, Instant::last()}}), nullptr,
              [](Instant showed) { throw Overrun{showed}; });
  EXPECT_THROW(clock.send(Interval::longest(), 1), Overrun);
}

// Down in [100, 150), and for good from 400 on.
TEST(Clock, WaitingUntilItsOwnFailureIsACauseOfItsOwn) {
  Clock clock(model::Outages({{at(100), at(150)}, {at(400), Instant::never()}}), [] { throw Failed(); });
  clock.send(Interval::picoseconds(50), 1);
  record::Path other;
  other.travel(Interval::picoseconds(500), 1);
  EXPECT_THROW(clock.wait_until(at(500), other), Failed);
  EXPECT_EQ(clock.now(), at(400));
  EXPECT_EQ(clock.breakdown().wait.picoseconds(), 300);
  EXPECT_EQ(clock.breakdown().down.picoseconds(), 50);
  EXPECT_EQ(clock.path().until_failure.picoseconds(), 300);
  EXPECT_EQ(clock.path().down.picoseconds(), 50);
  EXPECT_EQ(clock.path().sends, 0);
  EXPECT_EQ(Instant::start() + clock.path().total(), clock.now());
}

// The whole wait is time with the node down; the path has the part after the other's event.
TEST(Clock, WaitingLeavesOutWhatTheNodeIsDown) {
  Clock clock = with_outages();
  record::Path other;
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

// A margin of a factor of two: the host may be busy, which CPU time does not include.
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

TEST(Disturbance, SleepingIsNoticed) {
  Disturbance disturbance;
  if (!disturbance.noticed()) GTEST_SKIP() << "no restartable sequences here";
  // A sleep may end before the thread has left its processor; the kernel counts the switches.
  const auto switches = [] {
    rusage used;
    getrusage(RUSAGE_THREAD, &used);
    return used.ru_nvcsw + used.ru_nivcsw;
  };
  const timespec short_sleep{0, 100'000};
  int slept = 0;
  for (int i = 0; i < 100; ++i) {
    const auto before = switches();
    disturbance.watch();
    nanosleep(&short_sleep, nullptr);
    const bool noticed = disturbance.any();
    if (switches() == before) continue;
    ++slept;
    EXPECT_TRUE(noticed);
  }
  EXPECT_GT(slept, 0);
  // Most of the time there is no other disturbance.
  int quiet = 0;
  for (int i = 0; i < 1000; ++i) {
    disturbance.watch();
    quiet += disturbance.any() ? 0 : 1;
  }
  EXPECT_GT(quiet, 900);
}

TEST(ThreadClock, AgreesWithTheKernel) {
  ThreadClock clock;
  clock.learn([] {});
  // Another process may run on this CPU between two readings, so kernel readings are taken on both sides.
  const std::int64_t before = thread_cpu_nanoseconds();
  const std::int64_t begin = clock.read();
  const std::int64_t begun = thread_cpu_nanoseconds();
  const timespec nap{0, 200'000};
  for (int i = 0; i < 200; ++i) {
    for (volatile int k = 0; k < i * 100;)
      k = k + 1;  // from less than a microsecond to longer than the meter glances
    clock.read();
    if (i % 10 == 0) nanosleep(&nap, nullptr);
  }
  const std::int64_t ending = thread_cpu_nanoseconds();
  const std::int64_t end = clock.read();
  const std::int64_t after = thread_cpu_nanoseconds();
  const auto slack = static_cast<double>(2 * clock.asking()) + 0.01 * static_cast<double>(after - before);
  EXPECT_GE(static_cast<double>(end - begin), static_cast<double>(ending - begun) - slack);
  EXPECT_LE(static_cast<double>(end - begin), static_cast<double>(after - before) + slack);
}

// The share of the CPU time of a loop that only reads the meter, which is charged as the program's work.
double charged_share(CpuMeter& meter, int readings) {
  const std::int64_t begin = thread_cpu_nanoseconds();
  Interval charged;
  for (int i = 0; i < readings; ++i) {
    meter.start();
    charged += meter.take();
  }
  EXPECT_EQ(meter.takes(), readings);
  return static_cast<double>(charged.picoseconds()) / 1000.0 /
         static_cast<double>(thread_cpu_nanoseconds() - begin);
}

// A busy host lengthens readings at times, so a meter that knows the time of a reading alternates with one that does
// not.
TEST(CpuMeter, ItsOwnTimeIsNotCharged) {
  constexpr int rounds = 41, readings = 2'000;
  std::vector<double> parts;
  for (int round = 0; round < rounds; ++round) {
    CpuMeter knows(1.0), plain(1.0);
    knows.learn([] {});
    parts.push_back(charged_share(knows, readings) / charged_share(plain, readings));
  }
  std::nth_element(parts.begin(), parts.begin() + rounds / 2, parts.end());
  EXPECT_LT(parts[rounds / 2], 0.5);
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
