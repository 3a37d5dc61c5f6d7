// Runner of a study's runs, several at a time.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "launch/blocked_signals.h"
#include "launch/run_once.h"
#include "prediction/host_load.h"
#include "study/curve.h"
#include "study/runs/job.h"

namespace emu::app::studies {

// The study requests one point after another. Runs that it is expected to request next fill the other cores. The runner
// discards those that the study does not request, so that the result does not depend on the number of concurrent runs.
class Runner {
 public:
  Runner(const Job& job, const TemporaryFolder& folder);

  // Forgets all curves and ends their runs. The following targets count compute as this one does.
  void begin(const target::Target& target);
  // Adds a curve, whose runs use `plan` and are kept in `store`. Returns the number of its track.
  std::size_t add(const Curve& curve, PreparedRun plan, Store& store);

  // A point of a curve that was added.
  struct Place {
    std::size_t track = 0;
    int ranks = 0;
    bool operator==(const Place&) const = default;
  };
  // Runs `place` as often as requested, or takes runs from the store; fills in the point. `next`: points
  // expected after it. `before` begins the line of progress. Returns the signal that stopped it, or 0.
  int run(Point& point, Place place, const std::vector<Place>& next, const std::string& before);
  int repeats() const { return repeats_; }  // of each point
  // Number of concurrent runs.
  int jobs() const { return static_cast<int>(cores_.size()); }

 private:
  // A curve with the data for its runs.
  struct Track {
    Setting setting;
    PreparedRun plan;
    Store& store;
  };
  struct Run {
    Place place;
    int repeat;
    std::size_t cores;  // index into cores_
    HostLoadWatch watch;
    HostLoad host = {};
    std::unique_ptr<ProgramRun> under_way;  // null: ended
    RunOutcome outcome = {};
  };

  Run* find(Place place, int repeat);
  // The cores of a run that may begin now; nothing if none are free, or if concurrent runs would take too much memory.
  std::optional<std::size_t> free_cores(int ranks) const;
  void start(Place place, int repeat, std::size_t cores);
  void start_next(const std::vector<Place>& next);
  // Waits for the end of this run. Returns the signal that stopped it, or 0.
  int finish(Place place, int repeat, const std::vector<Place>& next, const std::string& before);
  // Adds the results of an ended run to its point.
  void take(Run& run, Point& point);
  // Handles ended runs, and waits for a moment. Returns the signal that came, or 0.
  int step(ProgressLine& line);
  // Ends all runs by `signal`, or by an earlier one. Returns the signal, or 0.
  int end_all(siginfo_t signal);
  int end_by_late_signal();
  void after_run();

  const Job& job_;
  const TemporaryFolder& folder_;
  const BlockedSignals signals_;
  std::vector<std::vector<int>> cores_;  // of each concurrent run; empty: all
  std::optional<int> share_;             // number of cores that ranks assume
  std::deque<Track> tracks_;
  int repeats_ = 1;
  int begun_ = 0;
  std::vector<Run> runs_;
};

}  // namespace emu::app::studies
