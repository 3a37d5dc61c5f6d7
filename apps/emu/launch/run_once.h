// Single runs of a program, with its output kept from the terminal.
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
  std::string record;   // the file that holds it until the next run
  std::string output;   // the file that holds what the program wrote
  std::string failure;  // why there is no run, with the last lines that the program wrote
  int interrupted = 0;  // the signal that ended it; 0: none
  double host_seconds = 0;
};

// One run under way.
class ProgramRun {
 public:
  // Starts it. What it writes goes to files whose names begin with `files`.
  ProgramRun(const PreparedRun& plan, std::string files, const BlockedSignals& signals);

  // What became of it, once it has ended; to be called about ten times a second.
  std::optional<RunOutcome> look();
  // As ChildProcess has it.
  void interrupt(const siginfo_t& info) { child_.interrupt(info); }
  // The file in which its progress can be seen.
  std::string status() const { return files_ + "status"; }

 private:
  Command command_for(const PreparedRun& plan) const;

  const std::string files_, names_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  ChildProcess child_;
};

// Its progress is shown on the terminal behind `before`. `look`, if given, is called about ten times a second.
RunOutcome run_once(const PreparedRun& plan, const TemporaryFolder& folder, const std::string& before,
                    const std::function<void()>& look = {});

}  // namespace emu::app
