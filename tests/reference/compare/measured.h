// Programs whose work the library measures: it is not known in advance. The traces of a run
// contain it, and with declared work of that length the simulator must reproduce the run.
#pragma once

#include <optional>
#include <string>

#include "reference/compare/chain.h"

namespace emu::reference {

// The batch on CPUs as fast as the reference CPU, so that measured work takes as long as in the traces.
Batch measuring(Batch batch);

// The programs, without expected results.
Chain unplayed(const Batch& batch, std::uint64_t first, std::uint64_t count);

// Simulates the chain with the work in the traces in `folder`, and compares with the player's files `logs`.RANK. Adds
// to the chain's coverage.
std::optional<Difference> compare_measured(Chain& chain, const std::string& logs, const std::string& folder);

}  // namespace emu::reference
