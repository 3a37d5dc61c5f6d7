// Table and verdict of a study, for users.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "study/curve.h"
#include "study/diagnosis.h"
#include "study/study.h"

namespace emu::app::studies {

// Conclusions on a curve; nothing if no run succeeded.
struct Verdict {
  Optimum optimum;
  Diagnosis diagnosis;
};
// The curve with the least time among `count` of them; nothing if no run succeeded.
std::optional<std::size_t> best_curve(const Study& study, std::size_t first, std::size_t count);
// True if the optimum is the best of the runs of a search, and possibly not of all requested numbers.
bool is_local(const Study& study, const Curve& curve);
std::optional<Verdict> verdict(const Curve& curve, const std::vector<int>& ranks);

// Parts of these texts: a point's time with its interval, the interval of the optimum, and a note if no rank computed.
std::string time_of(const Curve& curve, const Point* point);
std::string interval_text(const Curve& curve, const Optimum& optimum);
std::string doubt_text(const Curve& curve);

std::string table(const Study& study);
std::string verdict_text(const Study& study);

}  // namespace emu::app::studies
