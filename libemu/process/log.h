// Messages of the library itself, on standard error: "libemu: error: rank 3: MPI_Send: text".
//
// All messages have one form and one source. A message is one line, written in one call, so that those of several ranks
// do not mix. No logging library is used, which every rank would have to load: jobs have thousands of ranks, most of
// which write no message. Signal handlers write their texts themselves (process/start/orphan.cc, process/exit.cc).
#pragma once

#include <string>
#include <string_view>

namespace emu::mpi {

enum class Level { info, warning, error };

[[gnu::cold]] void log(Level level, std::string_view text);

// Beginning of a message about this rank: "rank 3: ", or with the call "rank 3: MPI_Send: ".
[[gnu::cold]] std::string of_rank();
[[gnu::cold]] std::string of_rank(std::string_view call);

}  // namespace emu::mpi
