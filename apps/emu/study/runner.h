// Runs of a study, several at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "launch/blocked_signals.h"
#include "launch/host_load.h"
#include "launch/run_once.h"
#include "study/curve.h"
#include "study/job.h"

namespace emu::app::studies {

// The study asks for one point after another. Runs that it is expected to ask for next fill the other cores. The runner drops
// those that the study does not ask for, so that the result does not depend on how many run at a time.
class Runner {
 public:
  Runner(const Job& job, const TemporaryFolder& folder);

  // From here on runs are of `curve`'s target, by `plan`, and `store` keeps them. Those under way end.
  void use(const Curve& curve, PreparedRun plan, Store& store);
  // Runs `point.ranks` ranks as often as is asked for, or takes what the store has; fills in the point. `next`: the numbers of ranks that
  // are expected after it. `before` begins the line of progress. The result is the signal that stopped it, or 0.
  int run(Point& point, const std::vector<int>& next, const std::string& before);
  // So many runs at a time.
  int jobs() const { return static_cast<int>(cores_.size()); }

 private:
  struct Run {
    int ranks, repeat;
    std::size_t place;  // of its cores
    HostLoadWatch watch;
    HostLoad host = {};
    std::unique_ptr<ProgramRun> under_way;  // null: it has ended
    RunOutcome outcome = {};
  };

  Run* find(int ranks, int repeat);
  // The place of a run that may begin now; nothing if none is free, or such runs would take too much memory together.
  std::optional<std::size_t> free_place(int ranks) const;
  void begin(int ranks, int repeat, std::size_t place);
  void begin_next(const std::vector<int>& next);
  // Brings this run to its end. The result is the signal that stopped it, or 0.
  int finish(int ranks, int repeat, const std::vector<int>& next, const std::string& before);
  // Takes up what has ended, and waits for a moment. The result is the signal that came, or 0.
  int step(ProgressLine& line);
  // All those under way end by `signal`, or by one that has come already. The result is the signal, or 0.
  int end_all(siginfo_t signal);
  int end_by_late_signal();

  const Job& job_;
  const TemporaryFolder& folder_;
  const BlockedSignals signals_;
  std::vector<std::vector<int>> cores_;  // of each place; empty: all
  PreparedRun plan_;
  Store* store_ = nullptr;
  int repeats_ = 1;
  int begun_ = 0;
  std::vector<Run> runs_;
};

}  // namespace emu::app::studies
