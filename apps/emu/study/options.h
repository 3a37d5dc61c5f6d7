// The command line of `emu study`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"
#include "launch/run_options.h"
#include "study/plane/grid.h"
#include "study/store.h"
#include "study/variation.h"

namespace emu::app::studies {

struct Options {
  bool help = false;               // then nothing else is set
  RunOptions run;                  // programs, target and how to run; {P} still stands in the arguments
  std::vector<std::string> words;  // the programs as they were given
  std::optional<int> first_ranks;  // of the first of several programs, if it was given
  std::vector<int> ranks;          // rising, without double ones; empty: not given
  int step = 1;
  bool search = false;
  bool dry_run = false;
  bool first_order = false;  // no runs at the ends of the intervals
  int repeat = 0;            // 0: not given
  std::optional<int> jobs;   // runs at a time
  std::vector<Variation> variations;
  std::vector<Sweep> sweeps;
  std::string metric;  // an expression that is one; empty: none
  std::optional<Grid> grid;
  std::optional<double> price;  // of a node for an hour
  std::string json;
  std::string html;
  std::string picture, heat_map;
  std::string report;
  std::string reports;  // a folder
  std::string measured;
  Reuse reuse = Reuse::interrupted;
};

Result<Options> parse_options(const std::vector<std::string>& args);
std::string help();

}  // namespace emu::app::studies
