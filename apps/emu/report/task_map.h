// Pictures of masters and slaves for the page: of limited size, whatever the run's. All times are in picoseconds.
#pragma once

#include <nlohmann/json.hpp>

#include "analysis/tasks.h"

namespace emu::app {

// Who did which task when, the masters' queues over time, how many tasks had how much work and idling before
// them, and those that were waited for longest. `finish`: of the run. Null where nobody deals tasks.
nlohmann::ordered_json task_map_json(const analysis::TaskTable& table, Instant finish, std::size_t ranks);

}  // namespace emu::app
