// Check of a run's trace against the simulator: where each rank's time went, and what each rank
// sent and received; that its intervals add up; and that the path found by going back through it is
// the one that the run itself found.
#pragma once

#include "reference/compare/chain.h"

namespace emu::reference {

std::optional<Difference> compare_trace(const Chain& chain, const record::RunSummary& record,
                                        const std::string& folder);

}  // namespace emu::reference
