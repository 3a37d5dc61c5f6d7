// Repeats in a sequence: all maximal runs, of any period.
//
// A square is a word that occurs twice in succession. With the suffix array and its longest common
// prefixes, the squares that cannot be moved one place to the right are found in O(n log n) (Stoye and
// Gusfield, "Simple and flexible detection of contiguous repeats using a suffix tree", 1998, on
// intervals of the suffix array in place of a tree's nodes); each of them is the end of a maximal run.
#pragma once

#include <cstdint>
#include <vector>

namespace emu::skeleton {

// text[i] == text[i + period] for begin <= i < end - period, and no further on either side; end - begin >= 2 periods.
// The period is the least possible one.
struct Run {
  std::uint32_t begin = 0, end = 0, period = 0;
  bool operator==(const Run&) const = default;
};

// By period, then by position. Letters are below `letters`. The text has less than 2^29 of them.
std::vector<Run> runs_of(const std::vector<std::uint32_t>& text, std::uint32_t letters);

}  // namespace emu::skeleton
