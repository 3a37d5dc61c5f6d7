// Links that are slower or loaded for a time: [[event]] with `link`.
#pragma once

#include <vector>

#include "target/failures.h"
#include "target/target.h"

namespace emu::target {

// Adds the changes to `between`, whose other members are complete.
void read_link_events(const std::vector<Event>& events, Target& target);

}  // namespace emu::target
