// Random GOAL schedules: all messages are received, some operations wait for others.
#pragma once

#include <string>

#include "reference/program/random.h"

namespace emu::app::schedules {

// As text. Some end in a deadlock. `unit`: what computations are like, in units of time.
std::string random_schedule(reference::Random& random, int ranks, std::int64_t eager_limit,
                            std::int64_t unit);

// Long ones, whose operations wait for some that are near: their ranks need not have all operations in memory.
std::string long_schedule(reference::Random& random, int ranks, std::int64_t eager_limit, std::int64_t unit);

}  // namespace emu::app::schedules
