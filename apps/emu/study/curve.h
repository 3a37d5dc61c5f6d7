// What a study knows: runs by number of ranks, and what follows from the times alone.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "record/summary.h"
#include "study/search.h"
#include "study/variation.h"
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
  double host_seconds = 0;  // of those that ran just now
  double kept_for = 0;      // seconds: the age of the oldest that ran before
  std::string failure;      // why the program failed with these ranks; then it does not count

  bool good() const { return failure.empty() && !runs.empty(); }
  double seconds() const;  // the mean
  // 95 % confidence interval of the mean; nothing from a single run.
  std::optional<Seconds> interval() const;
  const record::RunSummary& typical() const;  // the run in the middle
};

struct Curve {
  Variation variation;
  target::Target target;
  std::vector<Point> points;  // rising ranks; those that ran

  Known known() const;
  const Point* at(int ranks) const;
};

struct Optimum {
  const Point* point = nullptr;
  std::pair<int, int> flat;  // of the ranks that ran: least and greatest within flat_share, without a break
  std::pair<int, int> possible;  // with repeats: those whose interval overlaps the optimum's
};

// Nothing if no run was good. Of equal times the least number of ranks.
std::optional<Optimum> optimum(const Curve& curve);

}  // namespace emu::app::studies
