// State of a study: its plan, and its results so far.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "base/failure.h"
#include "common/temporary.h"
#include "launch/prepared_run.h"
#include "study/options.h"
#include "study/runs/store.h"
#include "study/study.h"
#include "target/target.h"

namespace emu::app::studies {

// A study that is checked and ready to run.
struct Job {
  Options options;
  PreparedRun plan;                      // for the greatest number of ranks
  std::vector<target::Sources> targets;  // one for each curve
  Study study;
  std::deque<Store> stores;  // of the curves that have begun
};

// Checks everything that can be checked before the first run: the program, the targets of all variations, the output
// files.
Result<Job> prepare(Options options);

// Everything that determines a run of this study with that setting on that target.
Identity identity(const Job& job, const Setting& setting, const target::Sources& target);

// Writes a target to a file for the ranks. The files that it names are in the same folder, by their names there,
// so deep that names may begin with some "..". `name` distinguishes targets that are needed at the same time.
std::string write_target(const target::Sources& sources, const TemporaryFolder& folder,
                         const std::string& name = "target");

}  // namespace emu::app::studies
