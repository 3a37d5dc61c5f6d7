// A recorded run in the formats of other viewers.
#pragma once

#include <string>

#include "analysis/history.h"
#include "analysis/state.h"
#include "base/failure.h"

namespace emu::app {

// Calls use(from, until) for each part of the event in which the rank's node is down.
template <class Use>
void each_down(const analysis::Event& e, Use use) {
  if (e.down == Interval()) return;
  analysis::stretches(e, [&](analysis::State state, Instant from, Instant until) {
    if (state == analysis::State::down) use(from, until);
  });
}

// The Trace Event Format: one process per rank, its calls and intervals as slices, messages as flows.
Result<void> write_perfetto(const analysis::Folder& folder, const analysis::History& history,
                            const std::string& path);

// OTF2: an archive in the folder `path`, which is created; an older archive in it is replaced. Locations are
// ranks, below the target's nodes; regions are calls, intervals and computation. otf2.cc has the details.
Result<void> write_otf2(const analysis::Folder& folder, const analysis::History& history,
                        const std::string& path);
// Checks that this program can write it, and that the folder contains nothing else.
Result<void> can_write_otf2(const std::string& path);

}  // namespace emu::app
