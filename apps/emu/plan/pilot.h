// Short run here that measures costs.
#pragma once

#include "common/temporary.h"
#include "launch/prepared_run.h"
#include "plan/capacity.h"

namespace emu::app::capacity {

struct Measured {
  Sample sample;
  int interrupted = 0;  // signal that ended it; 0: none
};

Result<Measured> measure(const PreparedRun& plan, const TemporaryFolder& folder);

}  // namespace emu::app::capacity
