// Cable of a topology: two links, one in each direction, with equal values.
#pragma once

#include "base/rate.h"
#include "base/time.h"

namespace emu::model {

struct Cable {
  Interval latency;   // of each link; adds to L
  Rate gap_per_byte;  // of each link; more than 0

  friend bool operator==(const Cable&, const Cable&) = default;
};

// Bytes per second of `links` links that are used simultaneously.
constexpr double capacity(Rate gap_per_byte, double links) {
  return links * 1e15 / static_cast<double>(gap_per_byte.femtoseconds_per_byte());
}

}  // namespace emu::model
