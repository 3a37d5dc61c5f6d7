// A private folder for the time of a run.
#pragma once

#include <string>

#include "base/failure.h"

namespace emu::app {

// Removed with all that is in it when the object dies.
class TemporaryFolder {
 public:
  // In $TMPDIR, or else /tmp.
  static Result<TemporaryFolder> create();

  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace emu::app
