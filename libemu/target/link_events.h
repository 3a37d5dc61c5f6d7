// Links that are slower or busier for a time: [[event]] with `link`.
#pragma once

#include <vector>

#include "target/failures.h"
#include "target/target.h"

namespace emu::target {

// Adds the changes to `between`, which is complete otherwise.
void read_link_events(const std::vector<Event>& events, Target& target);

}  // namespace emu::target
