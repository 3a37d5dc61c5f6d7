// A whole trace: the files of all ranks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/reader.h"
#include "record/summary.h"

namespace emu::analysis {

class Folder {
 public:
  // Fails if `path` is no trace, or a rank's file is missing or no part of the same one.
  static Result<Folder> open(const std::string& path);

  int ranks() const { return ranks_; }
  const std::string& target() const { return target_; }
  // Of several programs their names, " : " between them.
  const std::string& program() const { return program_; }
  // Where the ranks are, by rank.
  struct Location {
    int node = 0;
    std::string group;  // what the target calls nodes like it; may be empty
  };
  const std::vector<Location>& locations() const { return locations_; }
  std::uint64_t bytes() const { return bytes_; }  // of all files

  // visit() calls it block by block, with how many bytes have been read.
  using Watch = std::function<void(std::uint64_t bytes)>;
  void watch(Watch watch) { watch_ = std::move(watch); }

  // The summary of the run, if the messages shared resources and the run ended; else nothing.
  Result<std::optional<record::RunSummary>> summary() const;

  // Shows all events of a rank in order. True if its file is complete; false if it was cut off; `cut` then
  // gets where.
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
