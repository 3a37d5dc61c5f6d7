// Settings of a run, checked before anything is started.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"
#include "common/uncertainty.h"
#include "launch/launch.h"
#include "launch/run_options.h"
#include "schedule/schedule.h"

namespace emu::app {

inline constexpr const char* how_to_get_it_in =
    "link it anew with emucc, emucxx or emufc in place of mpicc, mpicxx or mpifort, or add --preload to emu "
    "run";

// To people whose target has compute = "declared" and whose program has not a word on it.
inline constexpr const char* nothing_declared =
    "no rank computed, since this target counts only the work that programs declare with emu_compute; with "
    "compute = \"measured\" it counts what they do";

// What is run, known to be in order as far as that can be known before.
struct PreparedRun {
  RunOptions options;
  std::filesystem::path target;
  std::vector<std::filesystem::path> programs;  // of options.programs
  std::filesystem::path mpirun;
  std::string preload;  // LD_PRELOAD for the ranks; empty for none
  int ranks = 0;
  std::vector<int> only_cores;  // of this machine, for the ranks; empty: all that this process may use
  bool by_mpirun = false;       // the ranks are not forked, though they could be
  bool declared = false;        // the target counts only the work that the program declares
  Uncertainties uncertainties;  // of the target's values
  std::optional<schedules::Source> schedule;  // in place of programs, mpirun and what only those have
  std::vector<std::string> uncalibrated;      // links: common/links.h
  std::map<std::string, double> uncalibrated_values;
};

// Failure if anything that can be known before keeps the program from running on the target.
Result<PreparedRun> prepare_run(RunOptions options);

// MPICH's mpirun along PATH.
Result<std::filesystem::path> find_mpirun();

// mpirun with all that the ranks need, whose number fits the programs (share_ranks()). They leave what they recorded in the file `record`, and where their
// progress is to be seen in the file `status`.
Command command(const PreparedRun& plan, const std::string& record, const std::string& status);

}  // namespace emu::app
