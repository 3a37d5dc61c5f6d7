// Output of `emu skeleton run`.
#pragma once

#include <cstdint>
#include <string>

#include "skeleton/generate/generate.h"

namespace emu::app::skeletons {

struct Prediction {
  skeleton::Outcome outcome;
  std::string target;  // its name
  int ranks = 1;
  double scale = 1;     // as requested
  double recorded = 0;  // seconds of the recorded program
  std::uint64_t events = 0;
  std::size_t symbols = 0;
  double host_seconds = 0;  // of the skeleton's run
};

// "predicted 812 ms +- 3 ms on 16 ranks of TARGET: 10 x 80 ms + 12 ms that do not scale; the skeleton took 92 ms"
std::string one_line(const Prediction& prediction);
// The keys are fixed, because other tools read them.
std::string to_json(const Prediction& prediction);

}  // namespace emu::app::skeletons
