// Ranks that are likely to fail, or slow: --risk.
#pragma once

#include <string>
#include <vector>

#include "base/failure.h"

namespace reduce {

// `text` is a list of ranks ("3,7"); or a file, the history of a
// cluster: a line for each node that has failed, its name as MPI_Get_processor_name tells it, and what else is known behind
// a blank; # begins a comment. Collective in MPI_COMM_WORLD. Failure names what is wrong, alike on all ranks that read the
// same file.
emu::Result<std::vector<int>> ranks_at_risk(const std::string& text, int ranks);

}  // namespace reduce
