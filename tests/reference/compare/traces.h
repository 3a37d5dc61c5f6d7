// Compares a run's trace with the simulator: the parts of each rank's time, and the messages that each rank sent and
// received. Also checks that its intervals add up, and that the path found by going back through the trace is the one
// that the run itself found.
#pragma once

#include "reference/compare/chain.h"

namespace emu::reference {

std::optional<Difference> compare_trace(const Chain& chain, const record::RunSummary& record,
                                        const std::string& folder);

}  // namespace emu::reference
