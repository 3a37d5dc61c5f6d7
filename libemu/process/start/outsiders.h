// Ranks that have ended without MPI_Init. A process manager does not end the job because of them, and the other ranks
// would wait for them in MPI_Init for ever.
#pragma once

#include <string>
#include <vector>

#include "process/start/watch.h"

namespace emu::mpi {

// A check that finds such ranks and then ends the job. `own`: the calling rank, which waits for all others.
// `connection`: its socket to the helper of the process manager that has started it. `helper_of`: the helper of each
// rank. The check finds ranks of the own helper; if the manager itself runs on this machine, also those of each helper
// whose ranks have all ended.
Watch::Check outsiders_check(int connection, std::vector<int> helper_of, int own);

// The message about ranks that have ended; `waiting`: a rank that waits for them.
std::string never_come(const std::vector<int>& ended, int waiting);

// Ends the job with this message. The first of `ranks` that has not ended writes it; since that may still compute
// before MPI_Init, the others, such as `own`, wait for it for ten seconds only.
[[noreturn]] void stop_for(const std::vector<int>& ended, const std::vector<int>& ranks, int own);

}  // namespace emu::mpi
