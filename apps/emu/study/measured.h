// Measured times beside the predicted ones of a study, and which value of the target their difference looks like.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"
#include "study/curve.h"

namespace emu::app::studies {

// Ranks: seconds; the median of a number of ranks that was measured several times.
using MeasuredTimes = std::map<int, double>;

// Lines "RANKS,SECONDS" behind the line "ranks,seconds"; further columns are not looked at.
Result<MeasuredTimes> read_measured(const std::string& path);

// A value of the target that explains a part of the difference, if it is another one.
struct Suspect {
  std::string key;      // "network.latency"
  double value = 0;     // as the target has it: seconds, seconds per byte, or a speed
  double other = 0;     // with which the difference is least
  double explains = 0;  // share of the sum of squares of the relative differences, up to 1
  bool operator<(const Suspect& than) const { return explains > than.explains; }
};

struct Comparison {
  struct Row {
    int ranks = 0;
    double measured = 0, predicted = 0;
    double error() const { return predicted / measured - 1; }
  };
  std::vector<Row> rows;          // numbers of ranks that were measured and predicted
  std::vector<int> not_run;       // that were measured only
  double median_error = 0;        // of |predicted / measured - 1|
  std::vector<Suspect> suspects;  // the best first; those that explain at least half as much as it
};

// To first order: by the derivatives of each prediction, so a path that changes with the value is not seen. Nothing if no
// number of ranks was both measured and predicted.
std::optional<Comparison> compare(const Curve& curve, const MeasuredTimes& measured);

std::string in_words(const Comparison& comparison);
nlohmann::ordered_json to_json(const Comparison& comparison);

}  // namespace emu::app::studies
