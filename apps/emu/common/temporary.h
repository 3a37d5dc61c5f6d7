// A private folder for the duration of a run.
#pragma once

#include <csignal>
#include <string>
#include <utility>

#include "base/failure.h"

namespace emu::app {

// The destructor removes the folder with its contents. Until then SIGINT, SIGTERM, SIGQUIT and SIGHUP are blocked, so that
// the folder is always removed: launch() checks for them. Nothing removes the folder of a process that was killed by
// SIGKILL; so create() removes such folders. A folder has a locked file as long as its process lives.
class TemporaryFolder {
 public:
  // In $TMPDIR, or else /tmp.
  static Result<TemporaryFolder> create();

  TemporaryFolder(TemporaryFolder&& other) noexcept
      : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)), before_(other.before_) {
    other.path_.clear();
  }
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  TemporaryFolder(std::string path, int lock, const sigset_t& before)
      : path_(std::move(path)), lock_(lock), before_(before) {}
  std::string path_;
  int lock_;         // descriptor of the locked file
  sigset_t before_;  // mask before
};

}  // namespace emu::app
