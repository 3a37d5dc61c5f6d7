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

// OTF2: an archive in the folder `path`, which is made; an older archive in it is replaced. Locations are ranks,
// below the target's nodes; regions are calls, intervals and computing. trace_otf2.cc says more.
Result<void> write_otf2(const trace::Folder& folder, const trace::History& history, const std::string& path);
// Nothing hinders that: this program can, and the folder holds nothing else.
Result<void> can_write_otf2(const std::string& path);

}  // namespace emu::app
