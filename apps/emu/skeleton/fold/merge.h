// The ranks' recordings merged into one sequence of columns: a column contains the events of the ranks at one place of
// their common program. Each rank's own order is preserved, so every structure built on the columns preserves it, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "skeleton/recording/trace.h"

namespace emu::skeleton {

struct Columns {
  std::size_t count = 0;
  std::vector<std::vector<std::uint32_t>> of_event;  // by rank: the column of each of its events; ascending
  std::vector<std::uint32_t> symbol;  // of each column: equal if all ranks act alike, within the tolerance
  std::uint32_t symbols = 0;          // number of different symbols: 0 up to it
};

// Sizes with a relative difference below `tolerance` count as equal.
Columns merge(const std::vector<RankTrace>& ranks, double tolerance);
// As merge(), by the ranks' own loops (align_loops.h); nothing if that makes no difference.
std::optional<Columns> merge_by_loops(const std::vector<RankTrace>& ranks, double tolerance);

}  // namespace emu::skeleton
