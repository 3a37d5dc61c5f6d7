// What a run needs, checked before anything is started.
#pragma once

#include <filesystem>
#include <string>

#include "base/failure.h"
#include "launch.h"
#include "run_options.h"

namespace emu::app {

inline constexpr const char* how_to_get_it_in =
    "link it anew with emucc, emucxx or emufc in place of mpicc, mpicxx or mpifort, or add --preload to emu "
    "run";

// What is run, known to be in order as far as that can be known before.
struct Plan {
  RunOptions options;
  std::filesystem::path target;
  std::filesystem::path program;
  std::filesystem::path mpirun;
  std::string preload;  // LD_PRELOAD for the ranks; empty for none
  int ranks = 0;
  bool declared = false;  // the target counts only the work that the program declares
};

// Failure if anything that can be known before keeps the program from running on the target.
Result<Plan> make_plan(RunOptions options);

// MPICH's mpirun along PATH.
Result<std::filesystem::path> find_mpirun();

// mpirun with all that the ranks need. They leave what they recorded in the file `record`, and where their
// progress is to be seen in the file `status`.
Command command(const Plan& plan, const std::string& record, const std::string& status);

}  // namespace emu::app
