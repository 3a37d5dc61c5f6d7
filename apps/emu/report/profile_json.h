// Profile of a trace as JSON: the page and other tools use the keys.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analysis/critical_path.h"
#include "analysis/history.h"
#include "analysis/profile.h"
#include "analysis/timeline.h"

namespace emu::app {

// All times are in picoseconds.
nlohmann::ordered_json profile_json(const analysis::Folder& folder, const analysis::History& history,
                                    const analysis::IntervalProfile& intervals,
                                    const analysis::CriticalPath& path);

// Data for the page only: a picture of limited size for any run.
nlohmann::ordered_json timeline_json(const analysis::Timeline& timeline, const analysis::CriticalPath& path);

}  // namespace emu::app
