// The ranks' recordings as one sequence of columns: in a column stands what the ranks do at the same place of the one
// program that all of them run. Each rank's own order is kept whole, so that whatever is made of the columns has it too.
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
  std::vector<std::uint32_t> symbol;  // of each column: equal where all ranks do the same, in tolerance
  std::uint32_t symbols = 0;          // how many there are: 0 up to it
};

// Sizes that differ by less than `tolerance`, as a share, count as the same.
Columns merge(const std::vector<RankTrace>& ranks, double tolerance);
// The same by the ranks' own loops (align_loops.h); nothing where that is no other way.
std::optional<Columns> merge_by_loops(const std::vector<RankTrace>& ranks, double tolerance);

}  // namespace emu::skeleton
