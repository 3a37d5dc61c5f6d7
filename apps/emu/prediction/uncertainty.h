// Uncertainty of a prediction, from the intervals of its target's values.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "record/summary.h"

namespace emu::app {

// Half-widths of 95 % intervals by key of the target (target/target.h, "uncertainties").
using Uncertainties = std::map<std::string, double>;

// Derivative of the predicted time with respect to a value of the target, in seconds: per second
// of a time, per second per byte, or per relative change of a speed (record/path.h, "weights").
struct Derivative {
  std::string key;
  double value = 0;
};
// All derivatives of the path to the last finish, in the order of the target file.
std::vector<Derivative> derivatives(const record::RunSummary& run);

// Half-widths, in seconds.
struct Uncertainty {
  // The errors of the values are assumed independent: the root of the sum of squares. If
  // each value is within its interval with a probability of 95 %, so is the prediction.
  double likely = 0;
  double worst = 0;  // all values at the worse end of their intervals: the sum
  std::map<std::string, double>
      parts;  // of each value alone, by key, with its sign; without those that have no effect
};

// To first order: as long as the same path remains the latest and messages are chosen in the same order. Beyond
// that, longer times may cost more, and shorter ones may save less.
Uncertainty uncertainty(const record::RunSummary& run, const Uncertainties& of_target);
// For the difference of two predictions of one target: an error in the
// target affects both, and counts by the difference of its effects.
Uncertainty uncertainty_of_difference(const record::RunSummary& a, const record::RunSummary& b,
                                      const Uncertainties& of_target);

}  // namespace emu::app
