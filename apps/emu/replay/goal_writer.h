// A recorded run as a GOAL schedule (apps/goal/goal_file.h has the format), whose unit of time is a picosecond.
#pragma once

#include <string>
#include <vector>

#include "base/failure.h"
#include "replay/replay.h"

namespace emu::app::replay {

// Sentences on the parts of the schedule that hold only for the target of the recording.
using Notes = std::vector<std::string>;

Result<Notes> write_goal(const Recording& recording, const std::string& path);

}  // namespace emu::app::replay
