// Warnings after a run of what makes its prediction doubtful: one line each, with what to do about it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "launch/host_load.h"
#include "record/summary.h"

namespace emu::app {

struct Warning {
  std::string key;         // for tools: "polls"
  std::string text;        // for people, a sentence without its end
  std::vector<int> ranks;  // that it is about, in MPI_COMM_WORLD; empty: all of them
};

// How a run went, beside what its ranks noticed.
struct Circumstances {
  bool measured = false;  // the target counts what the program does, not only what it declares
  HostLoad host = {};     // what this machine did meanwhile
  std::vector<std::string> uncalibrated = {};  // links: common/links.h
  std::map<std::string, double> uncalibrated_values = {};
};

std::vector<Warning> warnings(const record::RunSummary& run, const Circumstances& circumstances);

}  // namespace emu::app
