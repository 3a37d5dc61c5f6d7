// Comparison of a run's trace with the simulator: the parts of each rank's time, and the messages that each rank sent
// and received. It also checks that the trace's intervals add up, and that the path found by going back through the
// trace is the path that the run itself found.
#pragma once

#include "reference/compare/chain.h"

namespace emu::reference {

std::optional<Difference> compare_trace(const Chain& chain, const record::RunSummary& record,
                                        const std::string& folder);

}  // namespace emu::reference
