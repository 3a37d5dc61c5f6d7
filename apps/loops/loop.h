// The loop whose iterations are dealt: what each costs, and what it computes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/failure.h"

namespace loops {

enum class Distribution {
  constant,
  increasing,  // linearly, from next to nothing to twice the mean
  bimodal,  // one in ten, at places that are always the same, costs 5.5 times the mean, the others half of it
};

class Loop {
 public:
  // Costs in seconds on the reference CPU.
  static Loop of(Distribution distribution, std::int32_t iterations, double mean);
  // One cost per line, in seconds or with a unit; empty lines and those that begin with # do not count.
  static emu::Result<Loop> read(const std::string& path);

  std::int32_t iterations() const { return static_cast<std::int32_t>(costs_.size()); }
  double cost(std::int32_t first, std::int32_t count) const;

  // Runs iterations first ... first + count - 1 and returns the sum of their results. Emulated, it declares
  // what they cost; natively it computes for as long.
  std::uint64_t run(std::int32_t first, std::int32_t count) const;

 private:
  explicit Loop(std::vector<double> costs) : costs_(std::move(costs)) {}
  std::vector<double> costs_;
};

// Emulated, declares `seconds` of work on the reference CPU; natively uses so much CPU time.
void work(double seconds);

}  // namespace loops
