// Nodes that fail and recover: [[event]] with kind = "fail" or "recover".
#pragma once

#include <vector>

#include "target/events.h"
#include "target/target.h"

namespace emu::target {

// Fills in `outages`, and the speed 0 during them, from the failures and recoveries among `events`.
void read_failures(const std::vector<Event>& events, Target& target);

}  // namespace emu::target
