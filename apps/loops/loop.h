// The loop: costs and results of its iterations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/failure.h"

namespace loops {

enum class Distribution {
  constant,
  increasing,  // linearly, from nearly 0 to twice the mean
  bimodal,     // one in ten, at fixed places, costs 5.5 times the mean, the others half of it
};

class Loop {
 public:
  // Costs in seconds on the reference CPU.
  static Loop of(Distribution distribution, std::int32_t iterations, double mean);
  // Reads one cost per line, in seconds or with a unit. Empty lines and lines that begin with # are ignored.
  static emu::Result<Loop> read(const std::string& path);

  std::int32_t iterations() const { return static_cast<std::int32_t>(costs_.size()); }
  double cost(std::int32_t first, std::int32_t count) const;

  // Runs iterations first ... first + count - 1 and returns the sum of their results. Emulated, it declares their cost;
  // natively it computes for that time.
  std::uint64_t run(std::int32_t first, std::int32_t count) const;

 private:
  explicit Loop(std::vector<double> costs) : costs_(std::move(costs)) {}
  std::vector<double> costs_;
};

// Emulated: declares `seconds` of work on the reference CPU; natively: uses this CPU time.
void work(double seconds);

}  // namespace loops
