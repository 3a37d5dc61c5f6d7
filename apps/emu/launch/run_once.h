// Single runs of a program, whose output does not go to the terminal.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "common/progress.h"
#include "common/temporary.h"
#include "launch/child_process.h"
#include "launch/prepared_run.h"
#include "record/summary.h"

namespace emu::app {

struct RunOutcome {
  std::optional<record::RunSummary> run;
  std::string record;   // file of the record, valid until the next run
  std::string output;   // file of the program's output
  std::string failure;  // reason why there is no record, with the last lines of the program's output
  int interrupted = 0;  // signal that ended it; 0: none
  double host_seconds = 0;
};

// One run that is in progress.
class ProgramRun {
 public:
  // Starts the run. Its output goes to files whose names begin with `files`.
  ProgramRun(const PreparedRun& plan, std::string files, const BlockedSignals& signals);

  // The outcome, once the run has ended; to be called about ten times a second.
  std::optional<RunOutcome> look();
  // As ChildProcess::interrupt().
  void interrupt(const siginfo_t& info) { child_.interrupt(info); }
  // File with the location of its progress.
  std::string status() const { return files_ + "status"; }

 private:
  Command command_for(const PreparedRun& plan) const;

  const std::string files_;
  const PreparedRun plan_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  ChildProcess child_;
};

// Runs once, with the progress on the terminal after `before`. `look`, if given, is called about ten times a second.
RunOutcome run_once(const PreparedRun& plan, const TemporaryFolder& folder, const std::string& before,
                    const std::function<void()>& look = {});

}  // namespace emu::app
