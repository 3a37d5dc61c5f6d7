// Output of a study: table and verdict for people, JSON for tools and for the drawing of the curve (report/curve.h).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "study/curve.h"
#include "study/diagnosis.h"
#include "study/measured.h"

namespace emu::app::studies {

struct Study {
  std::string program;
  std::vector<std::string> arguments;
  std::vector<int> ranks;  // that were asked for, of all curves together
  bool search = false;
  std::vector<Curve> curves;    // for each variation of the target one for each setting of the program
  MeasuredTimes measured = {};  // beside them; empty: none were given
  std::vector<Sweep> sweeps = {};
  std::string metric = {};  // the expression that lines of the output are searched for; empty: none
  std::vector<int> nodes =
      {};  // of --grid, where slots and threads are among the swept names; empty: no grid
  std::optional<double> price = {};  // of a node for an hour

  // Those that were asked for of a curve; all curves have as many.
  std::vector<int> ranks_of(std::size_t curve) const;
  std::size_t settings() const;  // of each variation
  std::size_t variations() const { return curves.size() / settings(); }
};

// What there is to say of a curve; nothing if no run was good.
struct Verdict {
  Optimum optimum;
  Diagnosis diagnosis;
};
// The curve with the least time among `count` of them; nothing if no run was good.
std::optional<std::size_t> best_curve(const Study& study, std::size_t first, std::size_t count);
// The best of what a search ran, which need not be the best of all that were asked for.
bool is_local(const Study& study, const Curve& curve);
std::optional<Verdict> verdict(const Curve& curve, const std::vector<int>& ranks);

// Parts of these texts: a point's time with its interval, the interval of the optimum, and that nobody computed.
std::string time_of(const Curve& curve, const Point* point);
std::string interval_text(const Curve& curve, const Optimum& optimum);
std::string doubt_text(const Curve& curve);

std::string table(const Study& study);
std::string verdict_text(const Study& study);

// The keys are fixed: other tools read them.
nlohmann::ordered_json to_json(const Study& study);
std::string json_text(const nlohmann::ordered_json& json);

}  // namespace emu::app::studies
