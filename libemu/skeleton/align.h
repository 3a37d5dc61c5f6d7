// Two sequences side by side, equal words in one place.
#pragma once

#include <cstdint>
#include <vector>

namespace emu::skeleton {

// Of a word: what must be equal to stand in one place (`weak`), and what should (`strong`).
struct Word {
  std::uint64_t weak = 0;
  std::uint64_t strong = 0;
};

struct Aligned {
  std::size_t size = 0;             // of the common sequence
  std::vector<std::uint32_t> a, b;  // where the words of each stand in it; ascending
};

// In time that is linear in the lengths, where what one has and the other has not comes in short pieces. Not the best
// alignment, but one that depends only on what stands close by: where both repeat, it does.
Aligned align(const std::vector<Word>& a, const std::vector<Word>& b);

}  // namespace emu::skeleton
