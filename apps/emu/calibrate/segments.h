// Segmented regression: approximates a curve over message sizes by lines, each for a range of sizes.
//
// The number of segments is the one with the least Bayesian information criterion (Schwarz 1978); their limits are
// optimal for that number (dynamic programming: Bellman 1961). Errors are relative to the measured times.
#pragma once

#include <cstdint>
#include <vector>

#include "base/failure.h"
#include "calibrate/regression.h"

namespace emu::app::calibration {

struct Point {
  double bytes = 0;
  double seconds = 0;  // more than 0
};

// seconds = fixed + per_byte * bytes, both 0 or more
struct Segment {
  double up_to = 0;  // greatest of its sizes; of the last segment: of all sizes
  Value fixed, per_byte;
  double off = 0;  // median relative distance of a point from the line

  double of(double bytes) const { return fixed.value + per_byte.value * bytes; }
};

// Points of equal size are merged to their median. Fails with fewer than two sizes. `least_share`: the fixed part of a
// segment is at least this share of the first segment's fixed part, or of the shortest time if that is less.
Result<std::vector<Segment>> segments(const std::vector<Point>& points, int most = 8, double least_share = 0);
// The segment of a message of this many bytes.
const Segment& segment_of(const std::vector<Segment>& segments, double bytes);
// One point for each size: the median. In ascending order of sizes.
std::vector<Point> medians(std::vector<Point> points);

}  // namespace emu::app::calibration
