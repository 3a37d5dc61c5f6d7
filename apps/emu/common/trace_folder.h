// The folder that a trace is recorded into.
#pragma once

#include <string>

#include "base/failure.h"

namespace emu::app {

// Nothing hinders recording into `folder`: it is not there yet, empty, or holds an older trace.
Result<void> can_record(const std::string& folder);
// Makes it, and removes an older trace from it.
Result<void> prepare_recording(const std::string& folder);

}  // namespace emu::app
