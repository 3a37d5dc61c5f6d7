// The finished runs of studies, kept so that a study which was stopped goes on where it was. What a study that
// came to its end has kept is used again only where that is asked for: nobody can know all that a run depends on.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"
#include "record/summary.h"

namespace emu::app::studies {

// What a run depends on, as far as it can be known. Two runs with equal ones are the same run.
struct Identity {
  std::vector<std::string> programs;     // paths
  std::vector<std::string> arguments;    // {P} not replaced
  std::string target;                    // text
  std::vector<std::string> options;      // that change what a run does
  std::vector<std::string> libraries;    // paths of the shared objects in the program
  std::string folder;                    // the working directory
  std::vector<std::string> environment;  // "NAME=value", as environ has it

  // What this process has: `folder` and `environment`, without what shells and terminals set for themselves.
  // `changed`: variables with the values that the program gets.
  void add_surroundings(const std::map<std::string, std::string>& changed = {});
  // One text for all of it; files stand in it with size and time of change, values of the environment, which
  // may be secret, as a hash.
  std::string text() const;
};

// Which of the kept runs count.
enum class Reuse {
  interrupted,  // those of a study that was stopped
  all,          // those of one that came to its end too
  nothing,
};

struct Kept {
  record::RunSummary run;
  double age = 0;                // seconds
  double host_seconds = 0;       // that it took here; 0: not known
  std::optional<double> metric;  // study/metric.h
};

class Store {
 public:
  // In $XDG_CACHE_HOME/emu or ~/.cache/emu. A failure to make the folder is no failure of the study: then
  // nothing is kept. What does not count is forgotten.
  Store(const Identity& identity, Reuse reuse);

  // The run number `repeat` with `ranks`. Nothing if it is not there, is damaged, or is older than a file
  // that the arguments name and that no run wrote itself.
  std::optional<Kept> find(int ranks, int repeat) const;
  void keep(int ranks, int repeat, const std::string& record, double host_seconds,
            std::optional<double> metric) const;
  // To be called before and after each run, to tell what the program writes from what it reads.
  void before_run();
  void after_run();
  // The study has come to its end.
  void finish() const;
  // How many runs a study that was stopped has left here.
  int left() const { return left_; }
  const std::filesystem::path& folder() const { return folder_; }  // empty: nothing is kept

 private:
  std::filesystem::path file(int ranks, int repeat) const;
  // Holds "HOST_SECONDS [METRIC]".
  std::filesystem::path notes_file(int ranks, int repeat) const;

  std::filesystem::path folder_;
  int left_ = 0;
  // Words of the arguments that may name a file: when that was last changed, as of before_run().
  // Without those that runs wrote.
  std::map<std::string, std::int64_t> inputs_;
};

}  // namespace emu::app::studies
