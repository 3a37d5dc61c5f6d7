// Nodes that fail and recover: [[event]] with kind = "fail" or "recover".
#pragma once

#include <vector>

#include "target/events.h"
#include "target/target.h"

namespace emu::target {

// Fills in `outages`, and the speed 0 that they mean, from those of all events that are about failures.
void read_failures(const std::vector<Event>& events, Target& target);

}  // namespace emu::target
