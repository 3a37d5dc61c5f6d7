// A recorded run in the formats of other viewers.
#pragma once

#include <string>

#include "base/failure.h"
#include "trace/history.h"

namespace emu::app {

// The Trace Event Format: one process per rank, its calls and intervals as slices, messages as flows.
Result<void> write_perfetto(const trace::Folder& folder, const trace::History& history,
                            const std::string& path);

// Paje: a container per rank, with states for calls and intervals, and links for messages.
Result<void> write_paje(const trace::Folder& folder, const trace::History& history, const std::string& path);

}  // namespace emu::app
