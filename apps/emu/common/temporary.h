// A private folder for the duration of a run.
#pragma once

#include <csignal>
#include <string>
#include <utility>

#include "base/failure.h"

namespace emu::app {

// The destructor removes the folder with its contents. Until then SIGINT, SIGTERM, SIGQUIT and SIGHUP are blocked, so
// that the folder is always removed: launch() checks for them. The folder of a process that SIGKILL ended stays until
// the next create() removes it. A process locks a file in its folder, so that others recognise that it still runs.
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

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  TemporaryFolder(std::string path, int lock, const sigset_t& before)
      : path_(std::move(path)), lock_(lock), before_(before) {}
  std::string path_;
  int lock_;         // descriptor of the locked file
  sigset_t before_;  // mask before
};

// The reason if no file can be written into this folder of temporary files, else nothing. Files that were written there
// before may be cut off for this reason.
std::string no_room(const std::string& folder);

}  // namespace emu::app
