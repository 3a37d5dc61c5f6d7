// Results of a study: runs by number of ranks, and conclusions from the times alone.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "prediction/host_load.h"
#include "record/summary.h"
#include "study/plane/sweep.h"
#include "study/search.h"
#include "study/variation.h"
#include "target/power.h"
#include "target/target.h"

namespace emu::app::studies {

struct Seconds {
  double low = 0;
  double high = 0;
};

// All runs with one number of ranks.
struct Point {
  int ranks = 0;
  std::vector<record::RunSummary> runs;
  double host_seconds = 0;       // of the new runs
  HostLoad host;                 // during the new runs: the greatest values
  double kept_for = 0;           // age in seconds of the oldest reused run
  double kept_host_seconds = 0;  // of the reused runs
  std::string failure;  // reason why the program failed with these ranks; then the point does not count
  std::vector<double> metrics;  // of the runs whose output has a line that matches --metric

  bool good() const { return failure.empty() && !runs.empty(); }
  double seconds() const;  // the mean
  // Half of the 95 % confidence interval of the mean; 0 for a single run.
  double spread() const;
  std::optional<double> metric() const;       // the mean
  const record::RunSummary& typical() const;  // the median; of an even number, the lower middle one
};

// A condition that makes predictions doubtful, as `emu run` reports it for one run.
struct RunWarning {
  std::string key;         // "polls"
  std::string text;        // for the greatest number of ranks
  std::vector<int> ranks;  // numbers of ranks of the runs with it; ascending
};

// Movements of a target's values, by key: in seconds, seconds per byte, or relative for a speed.
using Ends = std::map<std::string, double>;

// A part of a curve that ran again with the target's values at ends of their intervals (corner.h).
struct Corner {
  bool more = false;  // the ends favour more ranks than at the optimum; otherwise fewer
  Ends ends;
  std::vector<Point> points;  // ascending ranks; from the optimum's on

  Known known() const;
  const Point* least() const;  // null if no run succeeded
  // The range of these numbers of ranks in which the minimum can be, by the spread of the runs.
  std::pair<int, int> possible() const;
};

struct Optimum;

struct Curve {
  Variation variation;
  target::Target target;
  std::vector<Point> points;  // ascending ranks; those that ran
  std::vector<Corner> corners = {};
  std::vector<RunWarning> warnings = {};
  Setting setting = {};
  std::vector<std::optional<target::Power>> power = {};  // of the target's groups of nodes

  std::string label() const;  // distinguishes it within the study; empty: it is the only one
  Known known() const;
  const Point* at(int ranks) const;
  // The interval of the time of a successful point: by the spread of its runs, and by
  // the intervals of the target's values (uncertainty.h). Nothing if both are unknown.
  std::optional<Seconds> interval(const Point& point) const;
  // Numbers of ranks outside the flat region whose time is also within flat_share of the optimum's; ascending.
  std::vector<int> as_good_elsewhere(const Optimum& optimum) const;
  // Valleys (search.h) that neither the spread of the runs nor the intervals of the target's values explain.
  std::vector<int> certain_valleys() const;
  // True if the point with more time may have less time than the other one.
  bool may_be_less(const Point& point, const Point& than) const;
};

struct Optimum {
  const Point* point = nullptr;
  std::pair<int, int> flat;  // least and greatest of the ranks that ran within flat_share, without a gap
  // The range of numbers of ranks that ran in which the optimum can be. An error of the target
  // affects all numbers of ranks, and counts by the difference of its effects on their times.
  // First to first order; then extended by runs at the ends of the intervals, if there were any.
  std::pair<int, int> first_order;
  std::pair<int, int> possible;
};

// Nothing if no run succeeded. Of equal times, the least number of ranks.
std::optional<Optimum> optimum(const Curve& curve);

}  // namespace emu::app::studies
