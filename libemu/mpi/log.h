// Messages of the library itself, on standard error: "libemu: error: rank 3: MPI_Send: text".
//
// One form and one place for all of them. A message is one line, written as a whole, so that those of several ranks do
// not mix. There is no library behind it that every rank would have to load: ranks start by the thousand, and most
// never say anything. Signal handlers write their texts themselves (process/start/orphan.cc, process/exit.cc).
#pragma once

#include <string>
#include <string_view>

namespace emu::mpi {

enum class Level { info, warning, error };

[[gnu::cold]] void log(Level level, std::string_view text);

// Front of a message about this rank: "rank 3: ", with the call "rank 3: MPI_Send: ".
[[gnu::cold]] std::string of_rank();
[[gnu::cold]] std::string of_rank(std::string_view call);

}  // namespace emu::mpi
