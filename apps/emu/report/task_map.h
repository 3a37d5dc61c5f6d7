// Pictures of masters and slaves for the page: of limited size for any run. All times are in picoseconds.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "analysis/tasks.h"

namespace emu::app {

// Tasks by slave and time, the masters' queues over time, histograms of work and of idle time before
// tasks, and the tasks that were awaited longest. `finish`: of the run. Null if no rank deals tasks.
nlohmann::ordered_json task_map_json(const analysis::TaskTable& table, Instant finish, std::size_t ranks);

}  // namespace emu::app
