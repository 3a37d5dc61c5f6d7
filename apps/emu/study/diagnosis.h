// Reason why more ranks do not help: from the distribution of the ranks' time, compared with the closed form.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/masters.h"
#include "study/closed_form.h"
#include "study/curve.h"

namespace emu::app::studies {

using analysis::OneMaster;
using analysis::only_master;

inline constexpr const char* no_bottleneck = "none in this range";

struct Diagnosis {
  // One of: "master's receive overhead", "master's send overhead", "master's receive and send overhead" (if
  // neither is much more than the other), "master's work", "master's handshakes",
  // "network card", "latency", "time per byte", "slaves' overhead", "too few tasks", "slow slaves at the
  // end", "waiting for other ranks", "polls"; without a master also "load imbalance" and "communication overhead";
  // "none in this range" if the ranks do hardly anything but compute.
  std::string bottleneck;
  int ranks = 0;                           // the run that shows it
  std::vector<std::string> why;            // sentences with the numbers
  std::optional<int> closed_form_optimum;  // minimum of the closed form, if there is a master
};

// The bottleneck of the runs of `point`. `all`: the numbers of ranks of the study.
Diagnosis diagnose(const Curve& curve, const Point& point, const std::vector<int>& all);
// For the run beyond the flat region that shows why more ranks do not help.
Diagnosis diagnose(const Curve& curve, const Optimum& optimum, const std::vector<int>& all);

}  // namespace emu::app::studies
