// What emu report says of a trace, as JSON: the keys are the page's, and other tools'.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "trace/critical_path.h"
#include "trace/history.h"
#include "trace/profile.h"
#include "trace/timeline.h"

namespace emu::app {

// All times are in picoseconds.
nlohmann::ordered_json profile_json(const trace::Folder& folder, const trace::History& history,
                                    const trace::IntervalProfile& intervals, const trace::CriticalPath& path);

// What only the page needs: a picture of limited size, whatever the run's.
nlohmann::ordered_json timeline_json(const trace::Timeline& timeline, const trace::CriticalPath& path);

}  // namespace emu::app
