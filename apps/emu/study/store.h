// The finished runs of studies, kept so that a study which was stopped goes on where it was, and one over
// more numbers of ranks runs only those that are new.
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
  std::string program;                 // path
  std::vector<std::string> arguments;  // {P} not replaced
  std::string target;                  // text
  std::vector<std::string> options;    // that change what a run does
  std::vector<std::string> libraries;  // paths of the shared objects in the program

  // One text for all of it; files stand in it with size and time of change.
  std::string text() const;
};

class Store {
 public:
  // In $XDG_CACHE_HOME/emu or ~/.cache/emu. A failure to make the folder is no failure of the study: then
  // nothing is kept. `fresh`: what is there is forgotten.
  Store(const Identity& identity, bool fresh);

  // The run number `repeat` with `ranks`. Nothing if it is not there, is damaged, or is older than a file
  // that the arguments name and that no run wrote itself.
  std::optional<record::RunSummary> find(int ranks, int repeat) const;
  void keep(int ranks, int repeat, const std::string& record) const;
  // To be called before and after each run, to tell what the program writes from what it reads.
  void before_run();
  void after_run();
  const std::filesystem::path& folder() const { return folder_; }  // empty: nothing is kept

 private:
  std::filesystem::path file(int ranks, int repeat) const;

  std::filesystem::path folder_;
  // Words of the arguments that may name a file: when that was last changed, as of before_run().
  // Without those that runs wrote.
  std::map<std::string, std::int64_t> inputs_;
};

}  // namespace emu::app::studies
