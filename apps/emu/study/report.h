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
  std::vector<int> ranks;  // that were asked for
  bool search = false;
  std::vector<Curve> curves;    // one for each variation
  MeasuredTimes measured = {};  // beside them; empty: none were given
};

// What there is to say of a curve; nothing if no run was good.
struct Verdict {
  Optimum optimum;
  Diagnosis diagnosis;
};
// The best of what a search ran, which need not be the best of all that were asked for.
bool is_local(const Study& study, const Curve& curve);
std::optional<Verdict> verdict(const Curve& curve, const std::vector<int>& ranks);

std::string table(const Study& study);
std::string verdict_text(const Study& study);

// The keys are fixed: other tools read them.
nlohmann::ordered_json to_json(const Study& study);
std::string json_text(const nlohmann::ordered_json& json);

}  // namespace emu::app::studies
