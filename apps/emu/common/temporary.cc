#include "common/temporary.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "common/environment.h"

namespace emu::app {
namespace {

namespace fs = std::filesystem;

std::string lock_file(const std::string& folder) { return folder + "/.emu-lock"; }

// Removes the folders of processes that have ended. No process locks the files in them.
void remove_left(const std::string& parent) {
  std::error_code error, ignored;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename();
    if (name.size() != 10 || !name.starts_with("emu-")) continue;
    const int lock = ::open(lock_file(entry->path()).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (lock < 0) continue;
    struct stat status {};
    if (::fstat(lock, &status) == 0 && status.st_uid == ::geteuid() && ::flock(lock, LOCK_EX | LOCK_NB) == 0)
      fs::remove_all(entry->path(), ignored);
    ::close(lock);
  }
}

// The descriptor of the locked file of a new folder; -1: it cannot be made.
int locked(const std::string& folder) {
  const int lock = ::open(lock_file(folder).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock >= 0) ::flock(lock, LOCK_EX);
  return lock;
}

}  // namespace

Result<TemporaryFolder> TemporaryFolder::create() {
  const std::string parent = environment().temporary;
  remove_left(parent);
  std::string path = parent + "/emu-XXXXXX";
  sigset_t waiting, before;
  sigemptyset(&waiting);
  for (int signal : {SIGINT, SIGTERM, SIGQUIT, SIGHUP}) sigaddset(&waiting, signal);
  sigprocmask(SIG_BLOCK, &waiting, &before);
  while (::mkdtemp(path.data())) {
    const int lock = locked(path);
    // Before the file was locked, another process may have removed the folder.
    if (::access(path.c_str(), F_OK) == 0) return TemporaryFolder(std::move(path), lock, before);
    if (lock >= 0) ::close(lock);
    path = parent + "/emu-XXXXXX";
  }
  const int error = errno;
  sigprocmask(SIG_SETMASK, &before, nullptr);
  return fail("TMPDIR: no folder can be made in " + parent + ": " + std::strerror(error) +
              " (expected a folder for temporary files, by default /tmp)");
}

TemporaryFolder::~TemporaryFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  if (lock_ >= 0) ::close(lock_);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

std::string no_room(const std::string& folder) {
  const std::string path = folder + "/room";
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << std::string(std::size_t{4} << 10, ' ');
  out.close();
  const int error = out ? 0 : errno;
  std::error_code ignored;
  fs::remove(path, ignored);
  if (error == 0) return "";
  return "TMPDIR: nothing can be written to " + folder + ": " + std::strerror(error) +
         " (expected a folder for temporary files, with room)";
}

}  // namespace emu::app
