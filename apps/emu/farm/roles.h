// Programs of the ranks of a farm: the protocols of apps/mase and apps/loops, message by message.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "../strategies/dealer.h"
#include "farm/machine.h"
#include "farm/tasks.h"
#include "model/schedule.h"

namespace emu::app::farms {

// The side that sends the first message.
enum class Protocol {
  deal,  // the master deals tasks to all slaves, and the next one to the slave that returns a result (apps/mase)
  request,  // slaves ask for tasks; a request contains the result of the preceding task (apps/loops)
};

// Bytes of messages. A chunk of c tasks has task + c * input bytes, its result header + c * result.
struct Sizes {
  model::Bytes task = 8, input = 0, header = 8, result = 4;
};

// Properties of a farm that all its ranks know.
struct Job {
  Protocol protocol = Protocol::deal;
  Sizes bytes;
  double master_seconds = 0;  // work of the master for each task that it deals
  int prefetch = 1;           // chunks that a slave has at a time
  bool turnaround = false;    // the times of chunks are the master's, from dealing one to the next request
  double probe = 0;           // work by which a slave finds its speed, before its first request; 0: none
  bool tries = false;         // the master computes the last tasks before it deals any
  Costs costs;
};

// Returns the next chunk for slave number `slave`; a chunk without tasks if none are left.
using Next = std::function<Note(int slave)>;

// Runs the parts of a rank's program one after the other.
std::unique_ptr<Process> in_sequence(std::vector<std::unique_ptr<Process>> parts);
// Messages of a collective operation of all ranks.
std::unique_ptr<Process> collective(int rank, model::Schedule schedule);

// Ranks master + 1, ..., master + slaves are the slaves of `master`, by number from 0. `job` outlives all.
std::unique_ptr<Process> deal_master(const Job& job, int master, int slaves, Next next);
std::unique_ptr<Process> deal_slave(const Job& job, int rank, int master);
// `took` is called with the seconds that a slave took for its chunk. If slaves probe their speeds, `probed` is called
// with the times of all probes before the first chunk.
struct Measured {
  std::function<void(int slave, const Note& chunk)> took;
  std::function<void(const std::vector<double>&)> probed;
  std::function<void(double seconds)> tried;  // with the time of the tasks that the master has tried out
  std::function<void(double now)> clock;      // after that, with the master's clock before each chunk
};
std::unique_ptr<Process> request_master(const Job& job, int master, int slaves, Next next, Measured measured);
std::unique_ptr<Process> request_slave(const Job& job, int rank, int master);
// One rank computes chunk after chunk.
std::unique_ptr<Process> alone(const Job& job, int rank, Next next);
// Collection of the results of several masters at rank 0: each master sends its results at once, in pieces of 256 MiB.
std::unique_ptr<Process> send_results(int rank, model::Bytes bytes);
std::unique_ptr<Process> collect_results(std::vector<std::pair<int, model::Bytes>> masters);

}  // namespace emu::app::farms
