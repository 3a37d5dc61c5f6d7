// A short run here, to see what it costs.
#pragma once

#include "capacity/capacity.h"
#include "plan.h"
#include "temporary.h"

namespace emu::app::capacity {

struct Measured {
  Sample sample;
  int interrupted = 0;  // the signal that ended it; 0: none
};

Result<Measured> measure(const Plan& plan, const TemporaryFolder& folder);

}  // namespace emu::app::capacity
