#include "analysis/tasks.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "trace_script.h"

namespace emu::analysis {
namespace {

// Master `master` deals `tasks` tasks of work `work` to the slaves from `first` to `last`, and then stops them.
void farm(
    Script& s, int master, int first, int last, int tasks, std::int64_t work,
    const std::function<void(int task)>& before_answer = [](int) {}) {
  int working = 0, dealt = 0;
  const auto deal = [&](int slave) {
    const bool more = dealt < tasks;
    dealt += more;
    s.send(master, slave);
    s.receive(slave, master);
    if (!more) return;
    ++working;
    s.compute(slave, work);
    s.send(slave, master);
  };
  for (int slave = first; slave <= last; ++slave) deal(slave);
  while (working > 0) {
    const int slave = s.first(master);
    s.receive(master, slave);
    --working;
    before_answer(dealt);
    deal(slave);
  }
}

// Properties of every table: sums that add up, and causes that precede effects.
void expect_sound(const TaskTable& table, const History& history) {
  std::map<int, Interval> idle, until;
  for (const Task& t : table.tasks) {
    if (t.answered) {
      EXPECT_LE(t.asked, t.arrived);
      EXPECT_LE(t.arrived, t.taken);
    }
    EXPECT_LE(t.taken, t.dealt);
    EXPECT_LE(t.dealt, t.ready);
    EXPECT_LE(t.ready, t.begun);
    EXPECT_LE(t.begun, t.received);
    EXPECT_LE(t.received + t.work, t.done);
    EXPECT_LE(t.done, t.returned);
    EXPECT_LE(t.result_arrived, t.collected);
    idle[t.slave] += t.idle;
    until[t.slave] = t.idle_until_end;
  }
  for (const auto& [slave, sum] : idle) {
    EXPECT_LE(sum, until[slave]);
    const record::Breakdown& time = history.ranks[static_cast<std::size_t>(slave)].time;
    EXPECT_LE(until[slave], time.wait + time.poll);
  }
  std::int64_t by_master = 0, by_slave = 0;
  for (const Slave& slave : table.slaves) {
    by_slave += slave.tasks;
    EXPECT_EQ(slave.idle, idle[slave.rank]);
  }
  for (const Master& master : table.masters) {
    by_master += master.tasks;
    std::int64_t in_reigns = 0;
    Interval queued, in_queue;
    for (const Reign& reign : master.reigns) in_reigns += reign.tasks;
    EXPECT_EQ(in_reigns, master.tasks);
    // Little's law: the integral of the queue's length is the sum of the waits of all calls.
    for (const Call& call : master.calls) queued += call.taken - call.arrived;
    const Interval bin = ps(777);
    const auto bins = static_cast<std::size_t>(history.finish().picoseconds() / 777 + 1);
    double area = 0;
    for (const QueueBin& b : queue_over_time(master, bin, bins)) {
      area += b.average * 777;
      EXPECT_LE(b.average, b.most + 1e-9);
    }
    EXPECT_NEAR(area, static_cast<double>(queued.picoseconds()), 1e-6 * area + 1e-6);
  }
  EXPECT_EQ(by_master, static_cast<std::int64_t>(table.tasks.size()));
  EXPECT_EQ(by_slave, static_cast<std::int64_t>(table.tasks.size()));
}

TaskTable sound(Script& s) {
  TaskTable table = s.table();
  expect_sound(table, s.history());
  return table;
}

// With one slave there is no queue: a task takes its work and a round trip of 2 L and two overheads on each side.
TEST(Tasks, OneSlaveIsTheClosedForm) {
  Script s(2);
  farm(s, 0, 1, 1, 10, 1000);
  const TaskTable table = sound(s);
  ASSERT_EQ(table.tasks.size(), 10u);
  for (std::size_t i = 0; i < 10; ++i) {
    const Task& t = table.tasks[i];
    EXPECT_EQ(t.answered, i > 0);
    EXPECT_EQ(t.work, ps(1000));
    EXPECT_EQ(t.service(), ps(i > 0 ? 2 * o : o));
    EXPECT_EQ(t.idle, ps(i > 0 ? 2 * latency + 2 * o : o + latency));
    EXPECT_EQ(t.queued(), ps(0));
    if (i > 0) {
      EXPECT_EQ(t.returned - t.asked, ps(1000 + 2 * latency + 4 * o));
    }
  }
  const Master& m = table.masters.at(0);
  EXPECT_EQ(m.rank, 0);
  EXPECT_EQ(m.slaves, 1);
  EXPECT_EQ(m.round_trip, ps(9 * (2 * latency + 4 * o)));
  EXPECT_EQ(m.waiting + m.busy(), m.length);
  EXPECT_FALSE(m.break_even_work());
}

// Short work, so that the master is the bottleneck: it is always busy, and deals a task every o_r + o_s.
TEST(Tasks, ASaturatedMasterDealsAtItsOwnPace) {
  constexpr int slaves = 20, tasks = 200;
  Script s(slaves + 1);
  farm(s, 0, 1, slaves, tasks, 50);
  const TaskTable table = sound(s);
  ASSERT_EQ(table.tasks.size(), 200u);
  ASSERT_EQ(table.masters.size(), 1u);
  const Master& m = table.masters[0];
  EXPECT_EQ(m.slaves, slaves);
  EXPECT_EQ(m.waiting.picoseconds(), std::max<std::int64_t>(0, o + 2 * latency + 50 + o + o - slaves * o));
  // In the steady state a slave gets its next task after all others have had theirs.
  for (const Task& t : table.tasks) {
    if (t.taken > at(1000) && t.answered) {
      EXPECT_EQ(t.returned - t.asked, ps(slaves * 2 * o));
    }
  }
  EXPECT_GT(m.saturating_work(), ps(50));
  EXPECT_NEAR(m.slaves_at_a_time(), slaves, 0.15 * slaves);  // they join and leave one by one
  const double n = m.slaves_at_a_time(), busy = m.busy().seconds() / tasks,
               trip = 1e-12 * (2 * latency + 4 * o);
  EXPECT_NEAR(m.saturating_work().seconds(), n * busy - trip, 1.1e-12);
  // Its service exceeds trip / (n - 1): two overheads, but one for the first tasks, which are not requested.
  EXPECT_EQ(m.break_even_work(), ps((180 * 2 * o + 20 * o) / tasks));
}

TEST(Tasks, ExchangesAmongEqualsAreNone) {
  for (const int uneven : {1, 2}) {
    Script s(4);
    for (int step = 0; step < 30; ++step) {
      for (int rank = 0; rank < 4; ++rank) s.compute(rank, rank % 2 ? 1000 * uneven : 1000);
      for (int rank = 0; rank < 4; ++rank)
        for (int other : {rank - 1, rank + 1})
          if (other >= 0 && other < 4) s.send(rank, other);
      for (int rank = 0; rank < 4; ++rank)
        for (int other : {rank - 1, rank + 1})
          if (other >= 0 && other < 4) s.receive(rank, other);
    }
    EXPECT_EQ(sound(s).tasks.size(), 0u) << uneven;
  }
}

// A single long step of one rank does not count as a task either.
TEST(Tasks, AStepThatTakesLongIsNone) {
  Script s(2);
  for (int step = 0; step < 30; ++step) {
    for (int rank : {0, 1}) s.compute(rank, step == 7 ? (1 + 9 * rank) * 1000 : 1000);
    for (int rank : {0, 1}) s.send(rank, 1 - rank);
    for (int rank : {0, 1}) s.receive(rank, 1 - rank);
  }
  EXPECT_EQ(sound(s).tasks.size(), 0u);
}

// One task for another rank does not make a rank a master.
TEST(Tasks, OneTaskIsNone) {
  for (const int tasks : {1, 2}) {
    Script s(3);
    farm(s, 0, 1, 2, tasks, 1000);
    EXPECT_EQ(sound(s).tasks.size(), tasks == 2 ? 2u : 0u);
  }
}

// Messages around a ring, or of a collective call, have no master either.
TEST(Tasks, RingsAndCollectivesAreNone) {
  Script s(3);
  for (int step = 0; step < 10; ++step) {
    for (int rank = 0; rank < 3; ++rank) {
      if (step + rank > 0) s.receive(rank, (rank + 2) % 3);
      s.compute(rank, 500);
      s.send(rank, (rank + 1) % 3);
    }
    for (int rank : {1, 2}) {
      s.send(0, rank, 0, "MPI_Bcast");
      s.receive(rank, 0, "MPI_Bcast");
      s.compute(rank, 500);
      s.send(rank, 0, 0, "MPI_Reduce");
    }
    s.receive(0, 1, "MPI_Reduce");
    s.receive(0, 2, "MPI_Reduce");
  }
  EXPECT_EQ(sound(s).tasks.size(), 0u);
}

// A long computation of a master is not a task of its slaves, not even of its only slave.
TEST(Tasks, AMasterMayHaveWorkOfItsOwn) {
  for (const int slaves : {1, 3}) {
    Script s(slaves + 1);
    farm(s, 0, 1, slaves, 60, 1000, [&](int dealt) { s.compute(0, dealt % 20 == 10 ? 50'000 : 100); });
    const TaskTable table = sound(s);
    EXPECT_EQ(table.tasks.size(), 60u);
    ASSERT_EQ(table.masters.size(), 1u) << slaves;
    EXPECT_EQ(table.masters[0].rank, 0);
    EXPECT_GE(table.masters[0].longest_service, ps(50'000));
  }
}

TEST(Tasks, MastersMigrate) {
  Script s(4);
  farm(s, 0, 1, 3, 30, 1000);
  farm(s, 1, 2, 3, 30, 2000);
  farm(s, 0, 1, 1, 10, 3000);
  farm(s, 1, 0, 0, 10, 4000);
  const TaskTable table = sound(s);
  EXPECT_EQ(table.tasks.size(), 80u);
  ASSERT_EQ(table.masters.size(), 2u);
  EXPECT_EQ(table.masters[0].tasks, 40);
  EXPECT_EQ(table.masters[1].tasks, 40);
  ASSERT_EQ(table.masters[1].reigns.size(), 2u);
  EXPECT_EQ(table.masters[1].reigns[0].tasks, 30);
  EXPECT_EQ(table.masters[1].work, ps(30 * 2000 + 10 * 4000));
  ASSERT_EQ(table.slaves.size(), 4u);
  EXPECT_EQ(table.slaves[3].masters, (std::vector<int>{0, 1}));
}

// A slave of two masters that does a task of one during a task of the other.
TEST(Tasks, TasksMayBeNested) {
  Script s(3);
  for (int task = 0; task < 10; ++task) {
    s.send(0, 2);
    s.receive(2, 0);
    s.compute(2, 300);
    s.send(1, 2);
    s.receive(2, 1);
    s.compute(2, 1000);
    s.send(2, 1);
    s.receive(1, 2);
    s.compute(2, 500);
    s.send(2, 0);
    s.receive(0, 2);
  }
  const TaskTable table = sound(s);
  ASSERT_EQ(table.tasks.size(), 20u);
  Interval work;
  for (const Task& t : table.tasks) work += t.work;
  EXPECT_EQ(work, ps(10 * 1800));
  for (const Task& t : table.tasks) EXPECT_GE(t.idle, ps(0));
}

// Two tasks ahead: the slave never waits, and a result is answered with the task after the next.
TEST(Tasks, TasksMayBeDealtAhead) {
  Script s(2);
  s.send(0, 1);
  s.send(0, 1);
  for (int task = 0; task < 20; ++task) {
    s.receive(1, 0);
    s.compute(1, 5000);
    s.send(1, 0);
    s.receive(0, 1);
    if (task < 18) s.send(0, 1);
  }
  const TaskTable table = sound(s);
  ASSERT_EQ(table.tasks.size(), 20u);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(table.tasks[i].idle, ps(i == 0 ? o + latency : 0)) << i;
    EXPECT_EQ(table.tasks[i].answered, i > 1) << i;
    if (i > 1) {
      EXPECT_EQ(table.tasks[i].request, table.tasks[i - 2].result);
    }
  }
  EXPECT_EQ(table.masters.at(0).calls.size(), 20u);  // each result once, also if it requested a task
}

// A header before the rest in both directions, and probes before receives.
TEST(Tasks, SeveralMessagesMakeOneTask) {
  Script s(2);
  s.send(0, 1);
  s.send(0, 1);
  for (int task = 0; task < 10; ++task) {
    s.probe(1, 0);
    s.receive(1, 0);
    s.receive(1, 0);
    s.compute(1, 5000);
    s.send(1, 0);
    s.send(1, 0);
    s.probe(0, 1);
    s.receive(0, 1);
    s.receive(0, 1);
    s.send(0, 1);
    s.send(0, 1);
  }
  const TaskTable table = sound(s);
  ASSERT_EQ(table.tasks.size(), 10u);
  for (std::size_t i = 1; i < 10; ++i) {
    EXPECT_EQ(table.tasks[i].bytes, 2);
    EXPECT_EQ(table.tasks[i].service(), ps(3 * o));  // two receives, and the header's send
    EXPECT_EQ(table.tasks[i].queued(), ps(0));
    EXPECT_EQ(table.tasks[i].work, ps(5000));
  }
}

// Unsuccessful polls are waiting.
TEST(Tasks, PollsAreWaiting) {
  Script s(2);
  s.send(0, 1);
  for (int task = 0; task < 10; ++task) {
    s.poll(1, 0);
    s.receive(1, 0);
    s.compute(1, 1000);
    s.send(1, 0);
    s.poll(0, 1);
    s.receive(0, 1);
    s.send(0, 1);
  }
  const TaskTable table = sound(s);
  ASSERT_EQ(table.tasks.size(), 10u);
  for (std::size_t i = 1; i < 10; ++i) {
    EXPECT_GE(table.tasks[i].idle, ps(2 * latency + 2 * o));
    EXPECT_LE(table.tasks[i].idle, ps(2 * latency + 2 * o + 2 * 7));
  }
  const Master& m = table.masters.at(0);
  EXPECT_EQ(m.busy(), ps((9 * 2 + 1) * o));  // until the last result
}

TEST(Tasks, HandshakesCountFromTheRequestToTheData) {
  Script s(2);
  for (int task = 0; task < 5; ++task) {
    s.long_message(0, 1);
    s.compute(1, 5000);
    s.long_message(1, 0);
  }
  const TaskTable table = sound(s);
  ASSERT_EQ(table.tasks.size(), 5u);
  const Task& t = table.tasks[1];
  EXPECT_TRUE(t.answered);
  EXPECT_EQ(t.arrived - t.asked, ps(latency));
  // The result: request taken, answered, data; the next task: request, answer, data.
  EXPECT_EQ(t.service(), ps(o + o + latency + 2 * o + latency + o + o + latency + 2 * o + latency + 2 * o));
  EXPECT_EQ(t.ready - t.dealt, ps(latency));
}

}  // namespace
}  // namespace emu::analysis
