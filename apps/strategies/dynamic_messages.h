// Messages between masters and slaves of strategy DY.
#pragma once

#include <cstdint>

#include "workload.h"

namespace strategies::dynamic {

inline constexpr int order_tag = 4;
inline constexpr int report_tag = 5;
inline constexpr int segments_tag = 6;
inline constexpr int results_tag = 7;

struct Order {
  enum Kind : std::int32_t {
    work,  // compute `range`
    join,  // master `peer`: ask it for work
    lead,  // be the master of `range` and of `peer` slaves that will ask for work
    stop,
  };
  Kind kind = stop;
  Range range;
  std::int32_t peer = 0;
};
static_assert(sizeof(Order) == 16, "what an order takes on the wire");

struct Report {
  enum Kind : std::int32_t {
    request,  // asks for work
    result,   // of `range`: its results follow
    back,     // a secondary master gives back: `range.count` segments follow, each in its own message
  };
  Kind kind = request;
  Range range;
  std::int32_t splits = 0;  // by a master that gives back, and by those that gave back to it
  std::int32_t merges = 0;
  float waited = -1;  // seconds between the request and the assignment that this result answers; -1: unknown
};
static_assert(sizeof(Report) == 24, "what a report takes on the wire");

// Neighbouring items that the same master dealt; `master` -1: not computed yet.
struct Segment {
  Range range;
  std::int32_t master = -1;
};

}  // namespace strategies::dynamic
