// The best way to deal the rest of a loop: rule, bounds of the chunks, number of workers.
#pragma once

#include <vector>

#include "advice/play.h"

namespace emu::advice {

struct Advice {
  Way way;
  std::vector<bool> used;  // whether a worker is worth dealing to
  int workers = 0;         // how many are
  Played played;
};

// The least expected time, if a worker becomes slow once with the probability `disturbance`. `workers` may be empty only if nothing is left.
Advice advise(const Rest& rest, const std::vector<Worker>& workers, double disturbance);

}  // namespace emu::advice
