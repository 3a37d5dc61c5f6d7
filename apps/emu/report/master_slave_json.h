// Masters and slaves of a trace (analysis/tasks.h) as JSON: the page and other tools use the keys. All times
// are in picoseconds.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "analysis/history.h"
#include "analysis/tasks.h"

namespace emu::app {

// Null if no rank deals tasks.
nlohmann::ordered_json master_slave_json(const analysis::TaskTable& table);

// Data for the page only, of limited size for any run: tasks by slave and time, the masters' queues
// over time, and histograms of work and idle time.
nlohmann::ordered_json task_map_json(const analysis::TaskTable& table, const analysis::History& history);

// A table of masters and slaves for the terminal; empty if no rank deals tasks.
std::string master_slave_table(const analysis::TaskTable& table);

// One line for each task, separated by commas; the first line has the names of the columns.
std::string task_lines(const analysis::TaskTable& table);

}  // namespace emu::app
