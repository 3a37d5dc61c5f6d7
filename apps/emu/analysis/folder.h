// A trace: the files of all ranks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/trace_reader.h"
#include "record/summary.h"

namespace emu::analysis {

class Folder {
 public:
  // Fails if `path` is not a trace, or if a rank's file is missing or belongs to another trace.
  static Result<Folder> open(const std::string& path);

  int ranks() const { return ranks_; }
  const std::string& target() const { return target_; }
  // Names of the programs, separated by " : ".
  const std::string& program() const { return program_; }
  // Locations of the ranks, by rank.
  struct Location {
    int node = 0;
    std::string group;  // the target's name for such nodes; may be empty
  };
  const std::vector<Location>& locations() const { return locations_; }
  std::uint64_t bytes() const { return bytes_; }  // of all files

  // visit() calls it for each block, with the number of bytes read so far.
  using Watch = std::function<void(std::uint64_t bytes)>;
  void watch(Watch watch) { watch_ = std::move(watch); }

  // The summary of the run, if messages shared resources and the run ended; otherwise nothing.
  Result<std::optional<record::RunSummary>> summary() const;

  // Visits all events of a rank in order. Returns true if the file is complete, false if it was cut off; then `cut`
  // receives the position.
  using Visit = std::function<void(const Event&)>;
  Result<bool> visit(int rank, const Visit& visit, std::string* cut = nullptr) const;

 private:
  std::string path_;
  int ranks_ = 0;
  std::string target_, program_;
  std::uint64_t bytes_ = 0;
  Watch watch_;
  std::vector<Location> locations_;
};

}  // namespace emu::analysis
