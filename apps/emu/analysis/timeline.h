// Timeline of every rank, in so many bins of equal length that the picture of any run has the same size.
#pragma once

#include <array>
#include <vector>

#include "analysis/history.h"
#include "analysis/state.h"

namespace emu::analysis {

struct Timeline {
  Interval bin;  // length of one; the last may reach beyond the finish
  // By rank, bin and state: how much of the bin. What is missing to the bin's length is after the rank's
  // finish.
  std::vector<std::vector<std::array<Interval, states.size()>>> ranks;
};

Result<Timeline> read_timeline(const Folder& folder, const History& history, std::size_t bins);

}  // namespace emu::analysis
