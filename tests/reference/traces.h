// Whether the trace of a run tells what the simulator expects: where each rank's time went, and what each
// rank sent and received.
#pragma once

#include "reference/chain.h"

namespace emu::reference {

std::optional<Difference> compare_trace(const Chain& chain, const std::string& folder);

}  // namespace emu::reference
