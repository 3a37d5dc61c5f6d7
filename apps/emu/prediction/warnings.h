// Warnings after a run about conditions that make its prediction doubtful: one line each, with advice.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "prediction/cold_cores.h"
#include "prediction/host_load.h"
#include "record/summary.h"

namespace emu::app {

struct Warning {
  std::string key;         // for tools: "polls"
  std::string text;        // for users, a sentence without its end
  std::vector<int> ranks;  // affected ranks in MPI_COMM_WORLD; empty: all
};

// Circumstances of a run, besides the doubts of its ranks.
struct Circumstances {
  bool measured = false;                       // the target counts measured work, not only declared work
  HostLoad host = {};                          // losses of this machine during the run
  std::vector<std::string> uncalibrated = {};  // links: prediction/uncalibrated.h
  std::map<std::string, double> uncalibrated_values = {};
  ColdCores cold = {};
};

std::vector<Warning> warnings(const record::RunSummary& run, const Circumstances& circumstances);

}  // namespace emu::app
