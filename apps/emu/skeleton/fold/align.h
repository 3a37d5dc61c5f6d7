// Alignment of two sequences: equal words get one place.
#pragma once

#include <cstdint>
#include <vector>

namespace emu::skeleton {

// Identity of a word: `weak` must be equal for one place, `strong` should be.
struct Word {
  std::uint64_t weak = 0;
  std::uint64_t strong = 0;
};

struct Aligned {
  std::size_t size = 0;             // of the common sequence
  std::vector<std::uint32_t> a, b;  // the places of the words of each sequence; ascending
};

// Linear in the lengths: repeatedly looks for the longest common subsequence of the next words in a window, and keeps
// its beginning, so that repeats that correspond are aligned even if both sequences repeat. Strongly equal words come
// first.
Aligned align(const std::vector<Word>& a, const std::vector<Word>& b);

}  // namespace emu::skeleton
