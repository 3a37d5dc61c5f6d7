// Segmented regression: a curve over message sizes as lines that hold for a range of sizes each.
//
// The number of segments is the one with the least Bayesian information criterion (Schwarz 1978), their limits are the
// best ones for that number (dynamic programming: Bellman 1961). Errors are relative to the measured times.
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
  double up_to = 0;  // the greatest of its sizes; of the last segment: of all
  Value fixed, per_byte;
  double off = 0;  // the median distance of a point from the line, relative

  double of(double bytes) const { return fixed.value + per_byte.value * bytes; }
};

// Points of one size are one: their median. Failure if there are fewer than two sizes.
Result<std::vector<Segment>> segments(const std::vector<Point>& points, int most = 8);
// The segment that a message of so many bytes belongs to.
const Segment& segment_of(const std::vector<Segment>& segments, double bytes);
// One point for each size: the median. By growing sizes.
std::vector<Point> medians(std::vector<Point> points);

}  // namespace emu::app::calibration
