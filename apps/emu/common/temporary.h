// A private folder for the time of a run.
#pragma once

#include <csignal>
#include <string>
#include <utility>

#include "base/failure.h"

namespace emu::app {

// Removed with all that is in it when the object dies. Until then SIGINT, SIGTERM and SIGHUP wait, so that
// nothing stays behind: launch() looks for them.
class TemporaryFolder {
 public:
  // In $TMPDIR, or else /tmp.
  static Result<TemporaryFolder> create();

  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::move(other.path_)), before_(other.before_) {
    other.path_.clear();
  }
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  TemporaryFolder(std::string path, const sigset_t& before) : path_(std::move(path)), before_(before) {}
  std::string path_;
  sigset_t before_;  // signals that were blocked before
};

}  // namespace emu::app
