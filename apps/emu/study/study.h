// A study: the program, the points that were requested, and the curves of their results.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "study/curve.h"
#include "study/measured.h"

namespace emu::app::studies {

struct Study {
  std::string program;
  std::vector<std::string> arguments;
  std::vector<int> ranks;  // requested, for all curves together
  bool search = false;
  std::vector<Curve> curves;    // for each variation of the target, one for each setting of the program
  MeasuredTimes measured = {};  // measured times; empty: none
  std::vector<Sweep> sweeps = {};
  std::string metric = {};  // expression that is searched for in lines of the output; empty: none
  std::vector<int> nodes =
      {};  // of --grid, whose slots and threads are among the swept names; empty: no grid
  std::optional<double> price = {};  // of a node for an hour

  // The numbers requested for a curve; equally many for all curves.
  std::vector<int> ranks_of(std::size_t curve) const;
  std::size_t settings() const;  // of each variation
  std::size_t variations() const { return curves.size() / settings(); }
};

}  // namespace emu::app::studies
