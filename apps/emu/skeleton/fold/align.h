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

// In time that is linear in the lengths: the longest common subsequence of the words that come next is looked for in a window,
// and its beginning is kept, so that where both repeat, what stands beside each other does. Strongly equal words first.
Aligned align(const std::vector<Word>& a, const std::vector<Word>& b);

}  // namespace emu::skeleton
