// Masters and slaves of a trace (analysis/tasks.h) as JSON: the keys are the page's, and other tools'. All times
// are in picoseconds.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "analysis/history.h"
#include "analysis/tasks.h"

namespace emu::app {

// Null where nobody deals tasks.
nlohmann::ordered_json master_slave_json(const analysis::TaskTable& table);

// What only the page needs, in limited size whatever the run's: who did which task when, the masters' queues
// over time, and how many tasks had so much work and idling.
nlohmann::ordered_json task_map_json(const analysis::TaskTable& table, const analysis::History& history);

// A table of masters and slaves for the terminal; empty where nobody deals tasks.
std::string master_slave_table(const analysis::TaskTable& table);

// Every task in a line, with commas; a first line names the columns.
std::string task_lines(const analysis::TaskTable& table);

}  // namespace emu::app
