// Masters and slaves: what tells them from other ranks, and what their tasks say of each of them.
//
// Nothing in the program says who is one. A master deals tasks and gets results, and between a result and the next
// task it computes far less than a slave does from a task to its result. A trace has every message: there each exchange
// is looked at by itself, which finds several masters at a time and masters that become slaves (analysis/tasks.h). A
// summary has the totals of each rank: there the same is asked of all exchanges together, which finds a rank that is the
// only master from the start to the end (only_master()). A study has summaries of all its runs, and traces of none.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/history.h"
#include "analysis/processor_time.h"
#include "record/summary.h"

namespace emu::analysis {

// The one rule for exchanges and totals alike: a master computes for less than this part of what its slaves do for it.
inline constexpr std::int64_t far_less = 3;

struct Task {
  int slave = 0, master = 0;
  // The master dealt it in answer to a message of the slave, mostly the result before: when that had left the
  // slave, and was at the master if nothing was in its way.
  bool answered = false;
  Instant asked, arrived;
  Instant taken;            // the master begins with it: to receive what asked for it or, unasked, to send it
  Instant dealt;            // it has left the master
  Instant ready;            // is at the slave if nothing is in its way
  Instant begun;            // the slave begins to receive it
  Instant received;         // and has it
  Instant done;             // the slave begins to send the result
  Instant returned;         // that has left; of a handshake, its request
  Instant result_arrived;   // is at the master if nothing is in its way
  Instant collected;        // the master begins to receive it; never() if it did not
  Interval work;            // what the slave computed
  Interval idle;            // its waiting since its task before, or since the start
  Interval idle_until_end;  // its waiting from the start until the result had left
  std::uint64_t request = 0;  // the slave's message that was answered, by sequence
  std::uint64_t result = 0;   // and its first one with the result
  std::int64_t bytes = 0, result_bytes = 0;

  Interval queued() const { return answered ? taken - arrived : Interval(); }
  Interval service() const { return dealt - taken; }
};

// A time in which a rank deals, uninterrupted by tasks of its own.
struct Reign {
  Instant from, until;  // it begins with the first task; and to receive the last result
  std::int64_t tasks = 0;
};

// A message of a slave to its master, when it is there and when the master begins to receive it.
struct Call {
  Instant arrived, taken;
};

struct Master {
  int rank = 0;
  std::int64_t tasks = 0;
  std::int64_t answered = 0;  // of these
  int slaves = 0;             // different ones
  std::vector<Reign> reigns;  // in order of time
  std::vector<Call> calls;    // in order of arrival
  Interval length;            // of all reigns together
  Interval waiting;           // its own in them, polls in vain included
  // Of all tasks together:
  Interval service, longest_service;
  ProcessorTime work;
  ProcessorTime attached;  // how long slaves were its own; over `length`, how many there were on average
  // Of those that were answered:
  ProcessorTime queued;
  Interval longest_queued;
  ProcessorTime round_trip;  // from the request to the result, without queueing and work

  Interval busy() const { return length - waiting; }
  double slaves_at_a_time() const;
  // Tasks of less work than this keep that many slaves waiting for the master: it is as busy as they are.
  Interval saturating_work() const;
  // Break-even granularity: tasks of less work the master would do sooner itself. Nothing with one slave,
  // which is never faster than the master.
  std::optional<Interval> break_even_work() const;
};

struct Slave {
  int rank = 0;
  std::int64_t tasks = 0;
  Interval work, longest_work, idle, longest_idle;
  std::vector<int> masters;  // in order of their first task
};

// `tasks`: by slave, and then in order of time. `waiting`: of each rank.
std::vector<Master> masters_of(const std::vector<Task>& tasks, const std::vector<Spans>& waiting);
std::vector<Slave> slaves_of(const std::vector<Task>& tasks);

// A master's queue: messages of slaves that have arrived and that it has not begun to receive. Of each bin of
// equal length from the start on, the average and the most at a time.
struct QueueBin {
  double average = 0;
  int most = 0;
};
std::vector<QueueBin> queue_over_time(const Master& master, Interval bin, std::size_t bins);

// A run in which one rank deals and all others work, by what each of them sent and computed in all.
struct OneMaster {
  int rank = 0;
  int slaves = 0;
  std::int64_t results = 0;  // messages that the slaves sent
  double result_bytes = 0;   // of one, on average
  std::int64_t tasks = 0;    // messages that the master sent
  double task_bytes = 0;
  double master_work = 0;  // seconds that the master computes
  double slaves_work = 0;  // seconds that the slaves compute, all together
};
// The rank that sends the most, if it sends about as many messages as all others together, these do not send most
// of theirs to each other, and it computes far_less or they all wait most of the time while it is never free: a master
// whose own work takes as long as its slaves' is the one that holds them up, whether it waits for messages or polls. Nothing
// if there is no such rank.
std::optional<OneMaster> only_master(const record::RunSummary& run);

}  // namespace emu::analysis
