// Sums over ranks as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "analysis/processor_time.h"

namespace emu::app {

// Whole picoseconds; beyond 106 days, the limit of 64 bits, the nearest floating-point number.
inline nlohmann::ordered_json picoseconds_json(analysis::ProcessorTime time) {
  if (time.fits()) return time.picoseconds();
  return time.seconds() * 1e12;
}

}  // namespace emu::app
