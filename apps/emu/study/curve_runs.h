// The runs of a study's curves, on the target itself and on others that its intervals allow.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "study/job.h"
#include "study/runner.h"
#include "study/schedule.h"

namespace emu::app::studies {

// Writes a point's line to stderr. `position`: "[ 3/12] "; `left`: ", about 20 s left".
void say(const Curve& curve, const Point& point, const std::string& position, const std::string& left);

// Puts the point behind those of fewer ranks.
void insert(std::vector<Point>& points, Point point);

// Makes the curves of a variation of the target known to the runner, in their order.
void add_curves(Job& job, std::size_t variation, const TemporaryFolder& folder, Runner& runner);

// Fills all curves of a variation of the target. The result is the signal that stopped it, or 0.
int run_variation(Job& job, std::size_t variation, const TemporaryFolder& folder, Schedule& schedule,
                  Runner& runner);

// Says how many runs the study takes and how long that is, from runs at the ends of its dimensions. The result is the signal that
// stopped it, or 0.
int dry_run(Job& job, const TemporaryFolder& folder);

// Whether the optimum lies elsewhere with other values of the target (corner.h). The result is the signal that stopped it, or 0.
int run_corners(Job& job, std::size_t index, const TemporaryFolder& folder, Runner& runner);

}  // namespace emu::app::studies
