// Hosts that a run needs that is too large for this one, from what ranks and messages cost here.
//
//   CPU time  P s + N m (1 + log2(P / P0) / log2(P0)) for P > P0, else P s + N m
//   memory    of a host with r of the P ranks: r (b + m(P)) + t(r, P)
//   hosts     the fewest whose memory holds the ranks, so that ceil(P / hosts) ranks fit on each
//   wall time between CPU time / all cores, if there is work for all of them all the time, and, if ranks only
//             ever wait for each other once they have started, that of the start / all cores + the other
//
// P ranks, N messages; s, m: CPU time to start and end a rank, and of a message with the work of the program
// around it, as measured with P0 ranks; b: memory of a rank; m(P): what each
// rank of a job on several hosts keeps of all ranks (wire/node_map.h), 0 on one host; t(r, P): the host's table of bounds
// (wire/table.h). A message costs no more than in proportion to log P, because the bounds stand in a tree.
// Not in it: what messages between hosts cost more.
#pragma once

#include <cstdint>
#include <string>

#include "base/failure.h"

namespace emu::app::capacity {

// What was measured.
struct Costs {
  std::int64_t ranks = 64;  // P0, at least 2
  double cpu_seconds_per_rank = 0;
  double cpu_seconds_per_message = 0;
  double bytes_per_rank = 0;
};

struct Host {
  double bytes = 0;  // that ranks may use
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

// Failure if not even one rank fits on a host.
Result<Need> need(const Job& job, const Costs& costs, const Host& host);

// One run here.
struct Sample {
  std::int64_t ranks = 0;
  double messages = 0;
  double cpu_seconds = 0;  // of everything that was started
  double bytes = 0;        // of all ranks together, their common pages once
};

// Costs from two runs with different numbers of ranks. Where their messages per rank are so alike that the two cannot tell starting from messages, a message is
// taken to cost as in `usual`, or less if they say so.
Costs costs_of(const Sample& small, const Sample& large, const Costs& usual);
// Messages of a run with `ranks`: on the line through two runs, and no fewer than the larger one has.
double messages_of(const Sample& small, const Sample& large, std::int64_t ranks);

// JSON: {"costs": {...}} with the names above, besides other keys.
std::string to_json(const Job& job, const Costs& costs, const Host& host, const Need& need);
Result<Costs> read_costs(const std::string& path);

}  // namespace emu::app::capacity
