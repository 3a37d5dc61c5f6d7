// Timeline of every rank, in bins of equal length whose number does not depend on the run.
#pragma once

#include <array>
#include <vector>

#include "analysis/history.h"
#include "analysis/state.h"

namespace emu::analysis {

struct Timeline {
  Interval bin;  // length of a bin; the last one may reach beyond the finish
  // By rank, bin and state: the time within the bin. If the sum is less than the length of the bin, the rest is after
  // the rank's finish.
  std::vector<std::vector<std::array<Interval, states.size()>>> ranks;
};

Result<Timeline> read_timeline(const Folder& folder, const History& history, std::size_t bins);

}  // namespace emu::analysis
