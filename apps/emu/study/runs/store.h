// Store of finished runs of studies, so that a stopped study can continue. Runs of a completed study are reused
// only on request: not everything that determines a run can be known.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"
#include "record/summary.h"

namespace emu::app::studies {

// Everything known that determines a run. Runs with equal identities are equal.
struct Identity {
  std::vector<std::string> programs;     // paths
  std::vector<std::string> arguments;    // {P} not replaced
  std::string target;                    // text
  std::vector<std::string> options;      // options that affect a run
  std::vector<std::string> libraries;    // paths of the shared objects in the program
  std::string folder;                    // the working directory
  std::vector<std::string> environment;  // "NAME=value", as in environ

  // Adds `folder` and `environment` of this process, without variables that shells and terminals set for themselves.
  // `changed`: variables with the values for the program.
  void add_surroundings(const std::map<std::string, std::string>& changed = {});
  // The identity as one text; files appear with size and time of change, values of the environment, which
  // may be secret, as a hash.
  std::string text() const;
};

// Kept runs that count.
enum class Reuse {
  interrupted,  // those of a stopped study
  all,          // also those of a completed study
  nothing,
};

struct Kept {
  record::RunSummary run;
  double age = 0;                // seconds
  double host_seconds = 0;       // of the run here; 0: unknown
  std::optional<double> metric;  // study/runs/metric.h
};

class Store {
 public:
  // In $XDG_CACHE_HOME/emu or ~/.cache/emu. If the folder cannot be created, the study continues, and nothing is
  // kept. Runs that do not count are removed.
  Store(const Identity& identity, Reuse reuse);

  // Run number `repeat` with `ranks`. Nothing if it is missing, damaged, or older than a file that the arguments
  // name and that no run has written.
  std::optional<Kept> find(int ranks, int repeat) const;
  void keep(int ranks, int repeat, const std::string& record, double host_seconds,
            std::optional<double> metric) const;
  // To be called before and after each run, to distinguish files that the program writes from those that it reads.
  void before_run();
  void after_run();
  // The study is complete.
  void finish() const;
  // Number of runs left by a stopped study.
  int left() const { return left_; }
  const std::filesystem::path& folder() const { return folder_; }  // empty: nothing is kept

 private:
  std::filesystem::path file(int ranks, int repeat) const;
  // Contains "HOST_SECONDS [METRIC]".
  std::filesystem::path notes_file(int ranks, int repeat) const;

  std::filesystem::path folder_;
  int left_ = 0;
  // Words of the arguments that may name a file: the time of its last change at before_run(). Without files
  // that runs wrote.
  std::map<std::string, std::int64_t> inputs_;
};

}  // namespace emu::app::studies
