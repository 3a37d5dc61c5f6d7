// Output of a study: table and verdict for users, JSON for tools and for the drawing of the curve (report/curve.h).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "study/curve.h"
#include "study/diagnosis.h"
#include "study/measured.h"

namespace emu::app::studies {

struct Study {
  std::string program;
  std::vector<std::string> arguments;
  std::vector<int> ranks;  // requested, for all curves together
  bool search = false;
  std::vector<Curve> curves;    // for each variation of the target, one for each setting of the program
  MeasuredTimes measured = {};  // measured times; empty: none
  std::vector<Sweep> sweeps = {};
  std::string metric = {};  // expression that is searched for in lines of the output; empty: none
  std::vector<int> nodes =
      {};  // of --grid, whose slots and threads are among the swept names; empty: no grid
  std::optional<double> price = {};  // of a node for an hour

  // The numbers requested for a curve; equally many for all curves.
  std::vector<int> ranks_of(std::size_t curve) const;
  std::size_t settings() const;  // of each variation
  std::size_t variations() const { return curves.size() / settings(); }
};

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

// The keys are fixed, because other tools read them.
nlohmann::ordered_json to_json(const Study& study);
std::string json_text(const nlohmann::ordered_json& json);

}  // namespace emu::app::studies
