// Chunk-level simulation of a self-scheduled loop: a chunk is one event.
//
// `emu farm` plays the same protocol message by message, on any target, in picoseconds and with critical paths, in some
// 0.4 us for a chunk. Advice plays tens of ways to deal the rest of a loop and has milliseconds for all of them, while
// the program waits. So this recurrence models the case of short messages that share nothing with others: the master is
// a server with one queue, a worker a delay. tests/unit/advice compares both in this case: they agree up to the
// rounding to picoseconds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "advice/chunks.h"

namespace emu::advice {

// A worker, and the costs of dealing a chunk to it, in seconds.
struct Worker {
  double speed = 1;              // relative to the reference CPU
  double receive = 0, send = 0;  // the master's time for a request, and for a chunk
  double there = 0;              // from the end of the master's send to the start of the work
  double back = 0;               // from the end of the work to the arrival of the request
  double busy = 0;               // from now until the end of the worker's present work
  bool used = true;              // false: it is stopped at its next request
};

// The rest of a loop: costs of iterations on the reference CPU, and their sums from the first one on.
class Rest {
 public:
  // Costs that deviate are drawn at random, with equal results in each run. `trend`: the difference between the costs
  // of the last and of the first iteration.
  Rest(std::int32_t iterations, double mean, double deviation, double trend = 0);

  std::int32_t iterations() const { return iterations_; }
  double mean() const { return mean_; }
  double deviation() const { return deviation_; }
  double cost(std::int32_t first, std::int32_t count) const {
    const double growth = trend_ == 0 ? 0 : trend_ * ((first + 0.5 * count) / iterations_ - 0.5) * count;
    return growth + (sums_.empty() ? mean_ * count : sum(first + count) - sum(first));
  }

 private:
  double sum(std::int32_t iterations) const {
    const double place = iterations * per_iteration_;
    const auto before = static_cast<std::size_t>(place);
    return sums_[before] + (place - static_cast<double>(before)) * (sums_[before + 1] - sums_[before]);
  }

  std::int32_t iterations_;
  double mean_, deviation_, trend_;
  double per_iteration_ = 1;  // places of sums_
  std::vector<double>
      sums_;  // of 0, ..., all iterations, or of some thousand steps in between; empty: all costs are the mean
};

// One way to deal the loop: a rule, and bounds of its chunks for workers of mean speed; bounds of other workers are in
// proportion.
struct Way {
  Rule rule = Rule::self;
  std::int32_t least = 1, most = std::numeric_limits<std::int32_t>::max();
  friend bool operator==(const Way&, const Way&) = default;
};

struct Played {
  double seconds = 0;  // until the last worker has been stopped
  // Additional time if, at an instant, the CPU of the worker with most left of its chunk falls to a tenth: the mean
  // over several instants.
  double exposure = 0;
  std::int64_t chunks = 0;
};

// Bounds of the chunks of one worker, in iterations.
struct Bounds {
  std::int32_t least = 1, most = std::numeric_limits<std::int32_t>::max();
  std::int32_t clamp(std::int32_t count) const { return std::clamp(count, least, most); }
};

// Bounds of `way` for a worker whose speed is `weight` times the mean.
Bounds bounds(const Way& way, double weight);

// Mean time from the end of a worker's chunk to the start of its next one, if the master is free.
double dealing_seconds(const std::vector<Worker>& workers);

// Passes the speeds of the workers to a rule, as if each had done two small chunks.
void tell_speeds(Chunks& rule, const std::vector<Worker>& workers, double mean, double deviation);

// After a bounded number of chunks the middle of the loop is skipped, at the rate of the preceding chunks: rules of
// small chunks are in their steady state by then. If the loop takes longer than `limit`, the result is infinite
// seconds, after fewer steps.
Played play(const Rest& rest, const std::vector<Worker>& workers, const Way& way,
            double limit = std::numeric_limits<double>::infinity());

}  // namespace emu::advice
