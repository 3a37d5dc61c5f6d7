// Uncertainty of a prediction, from the intervals of its target's values.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "record/summary.h"

namespace emu::app {

// Half-widths of 95 % intervals by key of the target (target/target.h, "uncertainties").
using Uncertainties = std::map<std::string, double>;

// By how many seconds the predicted time moves with a value of the target: per second of a time, per second per
// byte, per share of a speed (record/path.h, "weights").
struct Derivative {
  std::string key;
  double value = 0;
};
// All that there are, of the path to the last finish, in the order of the file.
std::vector<Derivative> derivatives(const record::RunSummary& run);

// Half-widths, in seconds.
struct Uncertainty {
  // The values' errors are independent: the root of the sum of squares. So if each is within its interval with a
  // probability of 95 %, so is the prediction.
  double likely = 0;
  double worst = 0;  // all at the end of their intervals that is the worse: the sum
  std::map<std::string, double>
      parts;  // of each value alone, by key, with its sign; without those that do nothing
};

// To first order: as long as the same path stays the latest and messages are chosen in the same order. Beyond
// that a longer time can take more, and a shorter one save less.
Uncertainty uncertainty(const record::RunSummary& run, const Uncertainties& of_target);
// Of the difference between the two predictions. They are of the same target: what it has wrong, it has wrong in
// both, and it counts by how much more it moves the one than the other.
Uncertainty uncertainty_of_difference(const record::RunSummary& a, const record::RunSummary& b,
                                      const Uncertainties& of_target);

}  // namespace emu::app
