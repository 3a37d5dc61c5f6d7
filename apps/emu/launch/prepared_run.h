// Settings of a run, checked before the start.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"
#include "launch/launch.h"
#include "launch/run_options.h"
#include "prediction/cold_cores.h"
#include "prediction/uncertainty.h"
#include "schedule/schedule.h"

namespace emu::app {

inline constexpr const char* how_to_get_it_in =
    "link it anew with emucc, emucxx or emufc in place of mpicc, mpicxx or mpifort, or add --preload to emu "
    "run";
// The same for a run with --preload.
inline constexpr const char* why_preload_fails =
    "it may not be an MPI program; its MPI library may be linked statically, or not be MPICH; or it takes "
    "the "
    "functions from a library that it opens itself (Python: expected ctypes.CDLL(None) in place of "
    "ctypes.CDLL(\"libmpich.so\"))";

// Message for a target with compute = "declared" and a program without declarations.
inline constexpr const char* nothing_declared =
    "no rank computed, since this target counts only the work that programs declare with emu_compute; with "
    "compute = \"measured\" it counts what they do";

// Settings of a run, checked as far as possible before the start.
struct PreparedRun {
  RunOptions options;
  std::filesystem::path target;
  std::vector<std::filesystem::path> programs;  // of options.programs
  std::filesystem::path mpirun;
  std::string preload;  // LD_PRELOAD of the ranks; empty: none
  int ranks = 0;
  std::vector<int> only_cores;  // cores of this machine for the ranks; empty: all that this process may use
  bool declared = false;        // the target counts declared work only
  Uncertainties uncertainties;  // of the target's values
  std::optional<schedules::Source> schedule;  // replaces programs, mpirun and their options
  std::vector<std::string> uncalibrated;      // links: prediction/uncalibrated.h
  std::map<std::string, double> uncalibrated_values;
  ColdCores cold;  // of this machine; filled in by verbs that warn of it
};

// The reason why the run, which ended with this exit code, left no record. `started`: rank 0 completed MPI_Init with
// libemu.
std::string why_no_record(const PreparedRun& plan, int code, bool started);

// Fails if a known condition prevents the program from running on the target.
Result<PreparedRun> prepare_run(RunOptions options);

// MPICH's mpirun along PATH.
Result<std::filesystem::path> find_mpirun();

// mpirun with all settings for the ranks, whose number fits the programs (share_ranks()). The ranks
// write their record to the file `record`, and the location of their progress to the file `status`.
Command command(const PreparedRun& plan, const std::string& record, const std::string& status);

}  // namespace emu::app
