// Hosts for a run that is too large for this one, from the costs of ranks and messages here.
//
//   CPU time  P s + N m (1 + log2(P / P0) / log2(P0)) for P > P0, else P s + N m
//   memory    of a host with r of the P ranks: r (b + d(P)) + t(r, P)
//   hosts     the least number whose memory holds the ranks, so that ceil(P / hosts) ranks fit on each
//   wall time between CPU time / all cores, if all cores always have work, and, if ranks only wait for each other
//             once they have started, CPU time of the start / all cores + the rest
//
// P ranks, N messages; s, m: CPU time to start and end a rank, and of a message with the work of the program around it,
// as measured with P0 ranks; b: memory of a rank; d(P): memory in which each rank of a job on several hosts stores the
// places of all ranks (wire/node_map.h), 0 on one host; t(r, P): the host's table of bounds (wire/table.h). The cost of
// a message grows at most in proportion to log P, because the bounds form a tree. Not included: the higher costs of
// messages between hosts.
#pragma once

#include <cstdint>
#include <string>

#include "base/failure.h"

namespace emu::app::capacity {

// Measured costs.
struct Costs {
  std::int64_t ranks = 64;  // P0, at least 2
  double cpu_seconds_per_rank = 0;
  double cpu_seconds_per_message = 0;
  double bytes_per_rank = 0;
};

struct Host {
  double bytes = 0;  // available to ranks
  int cores = 1;
};

struct Job {
  std::int64_t ranks = 1;
  double messages = 0;
};

struct Need {
  std::int64_t hosts = 0;
  std::int64_t ranks_per_host = 0;
  double bytes_per_host = 0;
  double bytes = 0;  // of all hosts
  double cpu_seconds_start = 0;
  double cpu_seconds_messages = 0;
  double wall_seconds_least = 0, wall_seconds_most = 0;

  double cpu_seconds() const { return cpu_seconds_start + cpu_seconds_messages; }
};

// Memory of a host with `here` of the job's `ranks`.
double bytes_on_host(std::int64_t here, std::int64_t ranks, const Costs& costs);

// Fails if not even one rank fits on a host.
Result<Need> need(const Job& job, const Costs& costs, const Host& host);

// One run here.
struct Sample {
  std::int64_t ranks = 0;
  double messages = 0;
  double cpu_seconds = 0;  // of all started processes
  double bytes = 0;        // of all ranks together, with shared pages counted once
};

// Costs from two runs with different numbers of ranks. If their numbers of messages per rank are so similar
// that start and messages cannot be separated, a message costs as in `usual`, or less if the runs show so.
Costs costs_of(const Sample& small, const Sample& large, const Costs& usual);
// Messages of a run with `ranks`: on the line through two runs, and at least as many as in the larger one.
double messages_of(const Sample& small, const Sample& large, std::int64_t ranks);

// JSON: {"costs": {...}} with the names above, besides other keys.
std::string to_json(const Job& job, const Costs& costs, const Host& host, const Need& need);
Result<Costs> read_costs(const std::string& path);

}  // namespace emu::app::capacity
