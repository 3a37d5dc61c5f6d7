// Advice through the C interface: emu_loop and emu_advice of emu/emu.h.
#pragma once

#include <vector>

#include "advice/play.h"
#include "base/failure.h"
#include "emu/emu.h"

namespace emu::advice {

// Failure if a value is invalid: the message names it and what would be right.
Result<void> check(const emu_loop& loop);
// For a loop that check() accepts. `costs`: what messages take where the loop does not say it, one for each worker.
emu_advice advise(const emu_loop& loop, std::vector<Worker> costs);
// The costs of messages that are assumed in a native program.
std::vector<Worker> usual_costs(int workers);

}  // namespace emu::advice
