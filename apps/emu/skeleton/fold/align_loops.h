// Alignment of several sequences by their loops: loops with equal counts get one place,
// and their bodies are aligned. This also works if no sequence has all words of the others
// (the four corners of a wavefront), and if common words alone (align.h) do not determine
// the iteration of a loop. It does not work if the sequences' own loops are not alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "skeleton/fold/align.h"

namespace emu::skeleton {

struct Braid {
  std::size_t size = 0;                            // of the common sequence
  std::vector<std::vector<std::uint32_t>> places;  // the places of the words of each sequence; ascending
};

// Nothing if they repeat too little for this method.
std::optional<Braid> align_loops(const std::vector<std::vector<Word>>& sequences);

}  // namespace emu::skeleton
