// Several sequences side by side, by the loops that each of them has: loops that run equally often stand in one place, and
// their bodies side by side. That finds its way where no sequence has all words of the others (the four corners of a
// wavefront), and where words in common alone (align.h) tell nothing of which time of a loop they are in. It finds nothing
// where the sequences' own loops are not alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "skeleton/fold/align.h"

namespace emu::skeleton {

struct Braid {
  std::size_t size = 0;                            // of the common sequence
  std::vector<std::vector<std::uint32_t>> places;  // where the words of each stand in it; ascending
};

// Nothing if they repeat too little to be looked at like this.
std::optional<Braid> align_loops(const std::vector<std::vector<Word>>& sequences);

}  // namespace emu::skeleton
