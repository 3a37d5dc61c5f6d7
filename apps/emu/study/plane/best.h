// Best point of a study with swept names, equivalent points, and the limits on each side of it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "study/plane/plane.h"
#include "study/verdict.h"

namespace emu::app::studies {

// A direction from the best point: fewer or more ranks, or lower or higher values of a swept number.
struct Side {
  std::string name;  // "fewer ranks", "T above 4"
  // The nearest point in this direction that ran and is outside the flat region; null: there is none.
  const Point* point = nullptr;
  std::size_t curve = 0;     // of that point
  bool at_end = false;       // no point was requested in this direction
  double longer = 0;         // relative excess of its time
  std::string cause;         // the part of the critical path with the greatest excess
  double cause_seconds = 0;  // this excess
  std::string bottleneck;    // as in Diagnosis
};

struct Best {
  std::size_t curve = 0;
  Verdict verdict;            // for its curve
  std::vector<Request> flat;  // all points within flat_share of it, including itself
  std::vector<Side> sides;
};

// For a variation of the target. Nothing if no run succeeded.
std::optional<Best> best_of(const Study& study, std::size_t variation);

// Reliability of a search; nothing if all points ran.
struct Sureness {
  std::size_t ran = 0, all = 0;  // points
  std::size_t neighbours = 0;    // of the best point; all of them ran
  std::size_t drawn = 0;         // at random, independent of the search
  double better_share = 0;       // less than this fraction of all points is better, with 95 % confidence
};
// For the plane of the best point.
std::optional<Sureness> sureness(const Study& study, std::size_t variation, const Best& best);

}  // namespace emu::app::studies
