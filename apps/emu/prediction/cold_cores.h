// Slowness of cores of this machine that have been idle: work after a wait is measured too long.
#pragma once

#include <string>

namespace emu::app {

struct ColdCores {
  double factor = 1;   // by which work after a wait takes longer, under the conditions of a run
  std::string reason;  // why cores are not kept awake while ranks wait; empty: they are
};

inline constexpr double noticeably_cold = 1.05;

// Measures it, in 20 ms, or in 40 ms if the factor is that high: on the cores that this process may use.
ColdCores find_cold_cores();

}  // namespace emu::app
