// Masters and slaves: the rule that identifies them, and statistics of their tasks.
//
// The program does not declare masters. A master deals tasks and receives results, and between a result and the next
// task it computes far less than a slave between a task and its result. A trace contains every message, so each
// exchange is examined separately, which finds several concurrent masters, and masters that become slaves
// (analysis/tasks.h). A summary contains the totals of each rank, so the rule is applied to all exchanges together,
// which finds a rank that is the only master for the whole run (only_master()). A study has summaries of all its runs,
// but no traces.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/history.h"
#include "analysis/processor_time.h"
#include "record/summary.h"

namespace emu::analysis {

// The rule for exchanges and totals: a master computes for less than this part of its slaves' time.
inline constexpr std::int64_t far_less = 3;

struct Task {
  int slave = 0, master = 0;
  // The master dealt it in answer to a message of the slave, usually the preceding result. Instants of that message:
  // departure from the slave, and arrival at the master without delays.
  bool answered = false;
  Instant asked, arrived;
  Instant taken;              // the master begins: to receive the request or, unasked, to send the task
  Instant dealt;              // it has left the master
  Instant ready;              // arrival at the slave without delays
  Instant begun;              // the slave begins to receive it
  Instant received;           // the slave has received it
  Instant done;               // the slave begins to send the result
  Instant returned;           // the result has left; of a handshake, its request
  Instant result_arrived;     // arrival at the master without delays
  Instant collected;          // the master begins to receive it; never() if it does not
  Interval work;              // computation of the slave
  Interval idle;              // waiting time of the slave since its preceding task, or since the start
  Interval idle_until_end;    // waiting time of the slave from the start until the result had left
  std::uint64_t request = 0;  // sequence number of the slave's message that was answered
  std::uint64_t result = 0;   // sequence number of the slave's first message with the result
  std::int64_t bytes = 0, result_bytes = 0;

  Interval queued() const { return answered ? taken - arrived : Interval(); }
  Interval service() const { return dealt - taken; }
};

// A period in which a rank deals, uninterrupted by tasks of its own.
struct Reign {
  Instant from, until;  // from the first task to the receive of the last result
  std::int64_t tasks = 0;
};

// A message of a slave to its master: arrival, and start of the receive.
struct Call {
  Instant arrived, taken;
};

struct Master {
  int rank = 0;
  std::int64_t tasks = 0;
  std::int64_t answered = 0;  // of these, answered ones
  int slaves = 0;             // number of different ones
  std::vector<Reign> reigns;  // in order of time
  std::vector<Call> calls;    // in order of arrival
  Interval length;            // of all reigns
  Interval waiting;           // of the master during them, unsuccessful polls included
  // Sums over all tasks:
  Interval service, longest_service;
  ProcessorTime work;
  ProcessorTime attached;  // time of slaves with this master; divided by `length`: their average number
  // Sums over the answered tasks:
  ProcessorTime queued;
  Interval longest_queued;
  ProcessorTime round_trip;  // from the request to the result, without queueing and work

  Interval busy() const { return length - waiting; }
  double slaves_at_a_time() const;
  // With tasks of less work, this many slaves wait for the master, which is then as busy as they are.
  Interval saturating_work() const;
  // Break-even granularity: the master would complete tasks of less work sooner itself. Nothing with one slave,
  // which is never faster than the master.
  std::optional<Interval> break_even_work() const;
};

struct Slave {
  int rank = 0;
  std::int64_t tasks = 0;
  Interval work, longest_work, idle, longest_idle;
  std::vector<int> masters;  // in the order of their first tasks
};

// `tasks`: by slave, then in order of time. `waiting`: of each rank.
std::vector<Master> masters_of(const std::vector<Task>& tasks, const std::vector<Spans>& waiting);
std::vector<Slave> slaves_of(const std::vector<Task>& tasks);

// A master's queue: messages of slaves that have arrived and whose receive has not begun. For bins of
// equal length from the start: average and greatest length.
struct QueueBin {
  double average = 0;
  int most = 0;
};
std::vector<QueueBin> queue_over_time(const Master& master, Interval bin, std::size_t bins);

// A run in which one rank deals and all others work: totals of their messages and computation.
struct OneMaster {
  int rank = 0;
  int slaves = 0;
  std::int64_t results = 0;  // messages that the slaves sent
  double result_bytes = 0;   // of one, on average
  std::int64_t tasks = 0;    // messages that the master sent
  double task_bytes = 0;
  double master_work = 0;  // computation of the master, in seconds
  double slaves_work = 0;  // computation of all slaves, in seconds
};
// The rank that sends the most messages, under these conditions: it sends about as many messages as all others
// together; no other rank of three or more sends over three quarters as many; it computes far_less, or all others wait
// most of the time while it is never free. (A master whose own work takes as long as its slaves' delays them, whether
// it waits for messages or polls.) Nothing if there is no such rank.
std::optional<OneMaster> only_master(const record::RunSummary& run);

}  // namespace emu::analysis
