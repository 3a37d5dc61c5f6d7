// Why more ranks do not help: read off where the ranks' time went, and held against the closed form.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/masters.h"
#include "study/curve.h"

namespace emu::app::studies {

using analysis::OneMaster;
using analysis::only_master;

// The closed form, in seconds: what the master alone would take, N (o_r + o_s)(P) and its own work, and what
// the slaves alone would take, N (t + RTT) / (P - 1); over unlike links on average. `ranks` may be another
// number than that of the run.
struct ClosedForm {
  double master = 0;
  double slaves = 0;
  double larger() const { return std::max(master, slaves); }
};
ClosedForm closed_form(const OneMaster& job, const target::Target& target, int ranks);

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
  std::optional<int> closed_form_optimum;  // where the closed form is least, if there is a master
};

// What holds up the runs of `point`. `all` are the numbers of ranks that the study was asked about.
Diagnosis diagnose(const Curve& curve, const Point& point, const std::vector<int>& all);
// Of the run beyond the flat region that shows why more ranks do not help.
Diagnosis diagnose(const Curve& curve, const Optimum& optimum, const std::vector<int>& all);

}  // namespace emu::app::studies
