// The best way to deal the rest of a loop: rule, bounds of the chunks, number of workers.
#pragma once

#include <vector>

#include "advice/play.h"

namespace emu::advice {

struct Advice {
  Way way;
  std::vector<bool> used;  // by worker: true if it should get chunks
  int workers = 0;         // number of these workers
  Played played;
};

// The way with the least expected time, if a worker becomes slow once with the probability `disturbance`. `workers` may
// be empty only if no iterations are left.
Advice advise(const Rest& rest, const std::vector<Worker>& workers, double disturbance);

}  // namespace emu::advice
