// Numbers in texts for users.
#pragma once

#include <fmt/format.h>

#include <string>

#include "base/units.h"

namespace emu::app {

inline std::string in_time(double seconds, int digits = 5) {
  return format(Interval::seconds(seconds), digits);
}

inline std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

}  // namespace emu::app
