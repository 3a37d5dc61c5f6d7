// Measured times beside the predictions of a study, and the target's value that could explain their difference.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"
#include "study/curve.h"

namespace emu::app::studies {

// Ranks: seconds; the median if a number of ranks was measured several times.
using MeasuredTimes = std::map<int, double>;

// Lines "RANKS,SECONDS" after the line "ranks,seconds", also with semicolons or tabs, quotes, and lines of comment that
// begin with #. Further columns with a title are ignored.
Result<MeasuredTimes> read_measured(const std::string& path);

// A value of the target whose change would explain a part of the difference.
struct Suspect {
  std::string key;      // "network.latency"
  double value = 0;     // in the target: seconds, seconds per byte, or a speed
  double other = 0;     // the value with the least difference
  double explains = 0;  // fraction of the sum of squares of the relative differences, up to 1
  bool operator<(const Suspect& than) const { return explains > than.explains; }
};

struct Comparison {
  struct Row {
    int ranks = 0;
    double measured = 0, predicted = 0;
    double error() const { return predicted / measured - 1; }
  };
  std::vector<Row> rows;          // numbers of ranks that were measured and predicted
  std::vector<int> not_run;       // numbers that were measured only
  double median_error = 0;        // of |predicted / measured - 1|
  std::vector<Suspect> suspects;  // the best first; those that explain at least half as much as it
};

// To first order, by the derivatives of each prediction: a path that changes with the
// value is not considered. Nothing if no number of ranks was both measured and predicted.
std::optional<Comparison> compare(const Curve& curve, const MeasuredTimes& measured);

std::string in_words(const Comparison& comparison);
nlohmann::ordered_json to_json(const Comparison& comparison);

}  // namespace emu::app::studies
