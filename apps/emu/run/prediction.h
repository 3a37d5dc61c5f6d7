// Output of `emu run` on a finished run: one line for users, JSON for tools.
#pragma once

#include <string>
#include <vector>

#include "base/failure.h"
#include "prediction/uncertainty.h"
#include "prediction/warnings.h"
#include "record/summary.h"

namespace emu::app {

struct Prediction {
  std::string program;  // as named on the command line
  record::RunSummary run;
  double host_seconds = 0;      // wall time of the run here
  Uncertainties uncertainties;  // of the target's values
  std::vector<Warning> warnings = {};
};

// "predicted 4.37 s on 64 ranks of TARGET (1234 messages; 2.1 s here)"; after the time "+- 20 ms", if the target
// has intervals.
std::string one_line(const Prediction& prediction);

// "critical path: compute 2.1 s (48 %), latency ...": the composition of the predicted time, in descending
// order.
std::string made_of(const Prediction& prediction);

// The keys are fixed, because other tools read them.
std::string to_json(const Prediction& prediction);

Result<void> write_json(const Prediction& prediction, const std::string& path);

}  // namespace emu::app
