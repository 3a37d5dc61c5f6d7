// Advice through the C interface: emu_loop and emu_advice of emu/emu.h.
#pragma once

#include <vector>

#include "advice/play.h"
#include "base/failure.h"
#include "emu/emu.h"

namespace emu::advice {

// Fails if a value is invalid: the message names it and the expected value.
Result<void> check(const emu_loop& loop);
// Advice for a loop that check() accepts. `costs`: message costs for values that the loop leaves out, one entry for
// each worker.
emu_advice advise(const emu_loop& loop, std::vector<Worker> costs);
// The assumed message costs in a native program.
std::vector<Worker> usual_costs(int workers);

}  // namespace emu::advice
