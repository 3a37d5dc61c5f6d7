// A study on its way: what is to be run, and what was.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "base/failure.h"
#include "common/temporary.h"
#include "launch/prepared_run.h"
#include "study/options.h"
#include "study/report.h"
#include "study/store.h"
#include "target/target.h"

namespace emu::app::studies {

// Everything that is run, known to be in order.
struct Job {
  Options options;
  PreparedRun plan;                      // for the most ranks
  std::vector<target::Sources> targets;  // one for each curve
  Study study;
  std::deque<Store> stores;  // of the curves that were begun
};

// Looks at all that can be looked at before anything runs: the program, the targets of all variations, the files that are to
// be written.
Result<Job> prepare(Options options);

// What a run of this study with that setting on that target depends on.
Identity identity(const Job& job, const Setting& setting, const target::Sources& target);

// A target that is in no file, for the ranks to read. The files that it names lie beside it by their names
// there, so deep that names may begin with some "..". `name` tells those apart that are needed at the same time.
std::string write_target(const target::Sources& sources, const TemporaryFolder& folder,
                         const std::string& name = "target");

}  // namespace emu::app::studies
