// A recorded run as a GOAL schedule (apps/goal/goal_file.h has the format), whose unit of time is a picosecond.
#pragma once

#include <string>
#include <vector>

#include "base/failure.h"
#include "replay/replay.h"

namespace emu::app::replay {

// What is in the schedule only as it was on the target of the recording, in sentences.
using Notes = std::vector<std::string>;

Result<Notes> write_goal(const Recording& recording, const std::string& path);

}  // namespace emu::app::replay
