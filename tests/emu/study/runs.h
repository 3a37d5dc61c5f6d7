// Artificial records of runs, for tests of conclusions from them.
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "record/summary.h"

namespace emu {

inline std::vector<int> range(int first, int last) {
  std::vector<int> result(last - first + 1);
  std::iota(result.begin(), result.end(), first);
  return result;
}

inline record::RankSummary rank(double finish, double compute, double send, double receive,
                                std::int64_t messages, std::int64_t bytes) {
  record::RankSummary result;
  result.finish = Instant::start() + Interval::seconds(finish);
  result.time.compute = Interval::seconds(compute);
  result.time.send_overhead = Interval::seconds(send);
  result.time.receive_overhead = Interval::seconds(receive);
  result.time.wait = Interval::seconds(finish - compute - send - receive);
  result.messages_sent = messages;
  result.bytes_sent = bytes;
  return result;
}

inline record::RunSummary run_of(double seconds, int ranks = 1) {
  record::RunSummary run;
  run.ranks.assign(ranks, rank(seconds, seconds, 0, 0, 0, 0));
  return run;
}

// The record of a master and slaves: each slave's finish and compute.
inline record::RunSummary farm(double total, double master_receive, double master_send, std::int64_t results,
                               const std::vector<std::pair<double, double>>& slaves, std::int64_t bytes = 1) {
  record::RunSummary run;
  run.ranks.resize(1);
  const std::int64_t own = results / static_cast<std::int64_t>(slaves.size());
  std::int64_t tasks = static_cast<std::int64_t>(slaves.size());  // the last request of each slave gets none
  for (const auto& [finish, compute] : slaves) {
    const std::int64_t messages = compute > 0 ? own : 0;
    tasks += messages;
    run.ranks.push_back(rank(finish, compute, 0, 0, messages, messages * bytes));
  }
  run.ranks.front() = rank(total, 0, master_send, master_receive, tasks, tasks * bytes);
  return run;
}

}  // namespace emu
