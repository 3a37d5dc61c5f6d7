// Samples measured by emu-calibrate (apps/calibrate/measure.h defines the kinds).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/failure.h"

namespace emu::app::calibration {

struct Sample {
  std::string kind;
  std::int64_t bytes = 0;
  std::vector<double> seconds;  // at least one, finite, not negative

  double median() const;
};

// Samples with one number of ranks.
struct Measurement {
  int ranks = 0;
  bool two_machines = false;
  bool cold = false;              // buffers, except in samples whose kind begins with "warm-"
  std::int64_t eager_limit = -1;  // -1: none found
  std::vector<Sample> samples;

  const Sample* find(const std::string& kind, std::int64_t bytes) const;
  std::vector<const Sample*> all(const std::string& kind) const;
};

// Adds samples of another measurement with an equal number of ranks.
void add(Measurement& to, const Measurement& more);

Result<Measurement> read_measurement(const std::string& path);

}  // namespace emu::app::calibration
