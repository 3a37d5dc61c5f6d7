#include "prediction/cold_cores.h"

#include <chrono>
#include <limits>

#include "clock/awake_cores.h"
#include "common/environment.h"

namespace emu::app {

// If idle time costs nothing, it does not matter whether cores can be kept awake.
ColdCores find_cold_cores() {
  ColdCores result;
  result.factor = clock::cold_factor();
  if (result.factor < noticeably_cold) return result;
  if (!environment().awake_cores) {
    result.reason = "EMU_AWAKE_CORES is 0";
  } else if (const auto possible = clock::AwakeCores::possible(); !possible) {
    result.reason = possible.error().message;
  } else {
    const clock::AwakeCores awake(clock::usable_cores(std::numeric_limits<int>::max()), [] { return true; });
    if (const auto begun = awake.begun(std::chrono::milliseconds(100)); !begun)
      result.reason = begun.error().message;
    else
      result.factor = clock::cold_factor();
  }
  return result;
}

}  // namespace emu::app
