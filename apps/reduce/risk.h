// Ranks that are likely to fail, or slow (option --risk).
#pragma once

#include <string>
#include <vector>

#include "base/failure.h"

namespace reduce {

// `text` is a list of ranks ("3,7") or the name of a file: the history of a cluster. Each line of
// the file begins with the name of a node that has failed, as MPI_Get_processor_name returns it.
// Other information may follow after a blank, and # begins a comment. The function is collective
// in MPI_COMM_WORLD. All ranks that read equal files return the same error, which names the cause.
emu::Result<std::vector<int>> ranks_at_risk(const std::string& text, int ranks);

}  // namespace reduce
