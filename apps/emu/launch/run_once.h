// Runs the program once, with its output kept from the terminal.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "common/temporary.h"
#include "launch/prepared_run.h"
#include "record/summary.h"

namespace emu::app {

struct RunOutcome {
  std::optional<record::RunSummary> run;
  std::string record;   // the file that holds it until the next run
  std::string failure;  // why there is no run, with the last lines that the program wrote
  int interrupted = 0;  // the signal that ended it; 0: none
  double host_seconds = 0;
};

// Its progress is shown on the terminal behind `before`. `look`, if given, is called about ten times a second.
RunOutcome run_once(const PreparedRun& plan, const TemporaryFolder& folder, const std::string& before,
                    const std::function<void()>& look = {});

}  // namespace emu::app
