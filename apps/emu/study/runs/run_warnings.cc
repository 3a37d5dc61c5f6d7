#include "study/runs/run_warnings.h"

#include <fmt/format.h>

#include <algorithm>

#include "prediction/warnings.h"

namespace emu::app::studies {

std::vector<RunWarning> run_warnings(const Curve& curve, const PreparedRun& plan) {
  std::vector<RunWarning> all;
  for (const Point& point : curve.points) {
    if (!point.good()) continue;
    const Circumstances circumstances{curve.target.compute == target::Compute::measured, point.host,
                                      plan.uncalibrated, plan.uncalibrated_values, plan.cold};
    for (const Warning& warning : warnings(point.typical(), circumstances)) {
      auto known =
          std::find_if(all.begin(), all.end(), [&](const RunWarning& w) { return w.key == warning.key; });
      if (known == all.end()) known = all.insert(known, {warning.key, {}, {}});
      known->text = warning.text;
      if (known->ranks.empty() || known->ranks.back() != point.ranks) known->ranks.push_back(point.ranks);
    }
  }
  return all;
}

std::string in_words(const RunWarning& warning) {
  std::string list = std::to_string(warning.ranks.front());
  for (std::size_t i = 1; i < warning.ranks.size(); ++i)
    list += (i + 1 == warning.ranks.size() ? " and " : ", ") + std::to_string(warning.ranks[i]);
  return fmt::format("{} (with {} {})", warning.text, list, list == "1" ? "rank" : "ranks");
}

}  // namespace emu::app::studies
