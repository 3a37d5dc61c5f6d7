// Runs of a study, several at a time.
#pragma once

#include <cstddef>
#include <deque>
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

  // Forgets all curves. Runs under way end. What follows is of targets that count compute as this one does.
  void begin(const target::Target& target);
  // Runs of `curve` go by `plan`, and `store` keeps them. The result names the curve below.
  std::size_t add(const Curve& curve, PreparedRun plan, Store& store);

  // A point of a curve that was added.
  struct Place {
    std::size_t track = 0;
    int ranks = 0;
    bool operator==(const Place&) const = default;
  };
  // Runs `place` as often as is asked for, or takes what the store has; fills in the point. `next`: what is expected after it.
  // `before` begins the line of progress. The result is the signal that stopped it, or 0.
  int run(Point& point, Place place, const std::vector<Place>& next, const std::string& before);
  int repeats() const { return repeats_; }  // of each point
  // So many runs at a time.
  int jobs() const { return static_cast<int>(cores_.size()); }

 private:
  // A curve with what its runs need.
  struct Track {
    Setting setting;
    PreparedRun plan;
    Store& store;
  };
  struct Run {
    Place place;
    int repeat;
    std::size_t cores;  // which of cores_
    HostLoadWatch watch;
    HostLoad host = {};
    std::unique_ptr<ProgramRun> under_way;  // null: it has ended
    RunOutcome outcome = {};
  };

  Run* find(Place place, int repeat);
  // The cores of a run that may begin now; nothing if none are free, or such runs would take too much memory together.
  std::optional<std::size_t> free_cores(int ranks) const;
  void start(Place place, int repeat, std::size_t cores);
  void start_next(const std::vector<Place>& next);
  // Brings this run to its end. The result is the signal that stopped it, or 0.
  int finish(Place place, int repeat, const std::vector<Place>& next, const std::string& before);
  // Puts what an ended run found into its point.
  void take(Run& run, Point& point);
  // Takes up what has ended, and waits for a moment. The result is the signal that came, or 0.
  int step(ProgressLine& line);
  // All those under way end by `signal`, or by one that has come already. The result is the signal, or 0.
  int end_all(siginfo_t signal);
  int end_by_late_signal();
  void after_run();

  const Job& job_;
  const TemporaryFolder& folder_;
  const BlockedSignals signals_;
  std::vector<std::vector<int>> cores_;  // of each run at a time; empty: all
  std::optional<int> share_;             // how many cores ranks are told that they have
  std::deque<Track> tracks_;
  int repeats_ = 1;
  int begun_ = 0;
  std::vector<Run> runs_;
};

}  // namespace emu::app::studies
