// Segments of libraries merged into fewer mappings, which each fork copies and each end of a rank removes.
#pragma once

#include <link.h>

#include <vector>

namespace emu::mpi {

// Gives adjacent segments of each object equal protection, so that the kernel merges their mappings: the constants can
// then be executed like the code, and the pages that were protected after relocation can be written like the data. So
// an object has two mappings of its file in place of five. The objects are libraries that libemu needs: the program's
// own segments keep their protection. Called by the first process, before it forks the ranks.
void merge_segments(const std::vector<const link_map*>& objects);

}  // namespace emu::mpi
