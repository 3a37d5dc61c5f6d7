// What a study says: table, plot and verdict for people, JSON for tools.
#pragma once

#include <string>
#include <vector>

#include "study/curve.h"
#include "study/diagnosis.h"

namespace emu::app::studies {

struct Study {
  std::string program;
  std::vector<std::string> arguments;
  std::vector<int> ranks;  // that were asked for
  bool search = false;
  std::vector<Curve> curves;  // one for each variation
};

// What there is to say of a curve; nothing if no run was good.
struct Verdict {
  Optimum optimum;
  Diagnosis diagnosis;
};
// The best of what a search ran, which need not be the best of all that were asked for.
bool is_local(const Study& study, const Curve& curve);
std::optional<Verdict> verdict(const Curve& curve, const std::vector<int>& ranks);

// The least (above 0) and the greatest predicted time of all curves.
Seconds extent(const Study& study);
// So far apart that a plot from 0 would show the greatest alone.
inline bool far_apart(Seconds times) { return times.high > 8 * times.low; }

std::string table(const Study& study);
std::string plot(const Study& study);  // by gnuplot, for a terminal; says so if gnuplot is not there
std::string verdict_text(const Study& study);

// The keys are fixed: other tools read them.
std::string to_json(const Study& study);

}  // namespace emu::app::studies
