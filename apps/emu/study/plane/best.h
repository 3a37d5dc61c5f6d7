// The best point of a study with swept names, the points as good, and what limits each side of it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "study/plane/plane.h"
#include "study/report.h"

namespace emu::app::studies {

// One direction from the best point: fewer or more ranks, or less or more of a swept number.
struct Side {
  std::string name;  // "fewer ranks", "T above 4"
  // The nearest point that ran there and is outside the flat region; null: there is none.
  const Point* point = nullptr;
  std::size_t curve = 0;     // its
  bool at_end = false;       // no point was asked for there
  double longer = 0;         // by what share it takes longer
  std::string cause;         // the part of the critical path that is longer by most
  double cause_seconds = 0;  // by how much
  std::string bottleneck;    // as Diagnosis has it
};

struct Best {
  std::size_t curve = 0;
  Verdict verdict;            // of that curve
  std::vector<Request> flat;  // all points within flat_share of it, itself among them
  std::vector<Side> sides;
};

// Of a variation of the target. Nothing if no run was good.
std::optional<Best> best_of(const Study& study, std::size_t variation);

// How sure a search is; nothing if all points ran.
struct Sureness {
  std::size_t ran = 0, all = 0;  // points
  std::size_t neighbours = 0;    // of the best point; all ran
  std::size_t drawn = 0;         // at random, apart from the search
  double better_share = 0;       // less than this share of all points is better, with 95 % confidence
};
// Of the plane that the best point is in.
std::optional<Sureness> sureness(const Study& study, std::size_t variation, const Best& best);

// For people: of all variations.
std::string sweep_table(const Study& study);
std::string sweep_verdict(const Study& study, std::size_t variation);
// A sentence on the least and the greatest metric; empty if none was asked for.
std::string metric_verdict(const Study& study, std::size_t variation);

}  // namespace emu::app::studies
