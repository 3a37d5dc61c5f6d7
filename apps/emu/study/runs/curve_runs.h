// Runs of a study's curves, on the target itself and on other targets within its intervals.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "study/runs/job.h"
#include "study/runs/runner.h"
#include "study/schedule.h"

namespace emu::app::studies {

// Writes a point's line to stderr. `position`: "[ 3/12] "; `left`: ", about 20 s left".
void say(const Curve& curve, const Point& point, const std::string& position, const std::string& left);

// Inserts the point after those with fewer ranks.
void insert(std::vector<Point>& points, Point point);

// Adds the curves of a variation of the target to the runner, in their order.
void add_curves(Job& job, std::size_t variation, const TemporaryFolder& folder, Runner& runner);

// Runs all curves of a variation of the target. Returns the signal that stopped it, or 0.
int run_variation(Job& job, std::size_t variation, const TemporaryFolder& folder, Schedule& schedule,
                  Runner& runner);

// Reports the number of runs of the study and their duration, from runs at
// the ends of its dimensions. Returns the signal that stopped it, or 0.
int dry_run(Job& job, const TemporaryFolder& folder);

// Tests if the optimum moves with other values of the target (corner.h). Returns the signal that stopped it, or 0.
int run_corners(Job& job, std::size_t index, const TemporaryFolder& folder, Runner& runner);

}  // namespace emu::app::studies
