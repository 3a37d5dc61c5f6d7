// Random GOAL schedules: all messages are received, some operations wait for others.
#pragma once

#include <string>

#include "reference/program/random.h"

namespace emu::app::schedules {

// The text of a schedule. Some end in a deadlock. `unit`: scale of computations, in units of time.
std::string random_schedule(reference::Random& random, int ranks, std::int64_t eager_limit,
                            std::int64_t unit);

// Long schedules whose operations wait for near ones only: their ranks need not have all operations in memory.
std::string long_schedule(reference::Random& random, int ranks, std::int64_t eager_limit, std::int64_t unit);

}  // namespace emu::app::schedules
