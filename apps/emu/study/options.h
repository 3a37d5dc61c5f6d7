// The command line of `emu study`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"
#include "launch/run_options.h"
#include "study/plane/grid.h"
#include "study/runs/store.h"
#include "study/variation.h"

namespace emu::app::studies {

struct Options {
  bool help = false;               // then no other option is set
  RunOptions run;                  // programs, target and settings; {P} is not replaced in the arguments
  std::vector<std::string> words;  // the programs as given
  std::optional<int> first_ranks;  // of the first of several programs, if given
  std::vector<int> ranks;          // ascending, unique; empty: not given
  int step = 1;
  bool search = false;
  bool dry_run = false;
  bool first_order = false;  // no runs at the ends of the intervals
  int repeat = 0;            // 0: not given
  std::optional<int> jobs;   // concurrent runs
  std::vector<Variation> variations;
  std::vector<Sweep> sweeps;
  std::string metric;  // a regular expression; empty: none
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
