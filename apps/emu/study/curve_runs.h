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

// Fills one curve. The result is the signal that stopped it, or 0.
int run_curve(Job& job, std::size_t index, const TemporaryFolder& folder, Schedule& schedule, Runner& runner);

// Whether the optimum lies elsewhere with other values of the target (corner.h). The result is the signal that stopped it, or 0.
int run_corners(Job& job, std::size_t index, const TemporaryFolder& folder, Runner& runner);

}  // namespace emu::app::studies
