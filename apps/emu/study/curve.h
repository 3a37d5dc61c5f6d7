// Knowledge of a study: runs by number of ranks, and what follows from the times alone.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launch/host_load.h"
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
  double host_seconds = 0;       // of those that ran just now
  HostLoad host;                 // during those: the greatest share
  double kept_for = 0;           // seconds: the age of the oldest that ran before
  double kept_host_seconds = 0;  // of those
  std::string failure;           // why the program failed with these ranks; then it does not count
  std::vector<double> metrics;   // of those runs whose output has a line that --metric looks for

  bool good() const { return failure.empty() && !runs.empty(); }
  double seconds() const;  // the mean
  // Half of the 95 % confidence interval of the mean; 0 of a single run.
  double spread() const;
  std::optional<double> metric() const;       // the mean
  const record::RunSummary& typical() const;  // the median; of an even number the one below the middle
};

// What makes predictions doubtful, as `emu run` says it of one run.
struct RunWarning {
  std::string key;         // "polls"
  std::string text;        // of the greatest number of ranks
  std::vector<int> ranks;  // numbers of ranks of the runs that have it; rising
};

// By how much values of a target are moved, by key: in seconds, seconds per byte, or as a share of a speed.
using Ends = std::map<std::string, double>;

// A part of a curve that ran again with the target's values at ends of their intervals (corner.h).
struct Corner {
  bool more = false;  // the ends that favour more ranks than at the optimum; else fewer
  Ends ends;
  std::vector<Point> points;  // rising ranks; the optimum's and beyond

  Known known() const;
  const Point* least() const;  // null if no run was good
  // From which to which of these numbers of ranks the least can lie, by the spread of the runs.
  std::pair<int, int> possible() const;
};

struct Optimum;

struct Curve {
  Variation variation;
  target::Target target;
  std::vector<Point> points;  // rising ranks; those that ran
  std::vector<Corner> corners = {};
  std::vector<RunWarning> warnings = {};
  Setting setting = {};
  std::vector<std::optional<target::Power>> power = {};  // of the target's groups of nodes

  std::string label() const;  // what tells it from the study's others; empty: there are none
  Known known() const;
  const Point* at(int ranks) const;
  // What the time of a good point may be: by the spread of its runs, and by the intervals of the target's values
  // (uncertainty.h). Nothing if neither says anything.
  std::optional<Seconds> interval(const Point& point) const;
  // Numbers of ranks outside the flat region whose time is within flat_share of the optimum's too; rising.
  std::vector<int> as_good_elsewhere(const Optimum& optimum) const;
  // Valleys (search.h) that the spread of the runs and the intervals of the target's values do not explain.
  std::vector<int> certain_valleys() const;
  // The point with more time may have less than the other.
  bool may_be_less(const Point& point, const Point& than) const;
};

struct Optimum {
  const Point* point = nullptr;
  std::pair<int, int> flat;  // of the ranks that ran: least and greatest within flat_share, without a break
  // From which to which of those that ran the optimum can lie. What the target has wrong, it has wrong for all
  // numbers of ranks: it counts by how much more it moves the one's time than the other's. First to first order,
  // and then also where it was in runs at the ends of the intervals, if there were any.
  std::pair<int, int> first_order;
  std::pair<int, int> possible;
};

// Nothing if no run was good. Of equal times the least number of ranks.
std::optional<Optimum> optimum(const Curve& curve);

}  // namespace emu::app::studies
