#include "common/temporary.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "common/environment.h"

namespace emu::app {

Result<TemporaryFolder> TemporaryFolder::create() {
  const std::string parent = environment().temporary;
  std::string path = parent + "/emu-XXXXXX";
  sigset_t waiting, before;
  sigemptyset(&waiting);
  for (int signal : {SIGINT, SIGTERM, SIGQUIT, SIGHUP}) sigaddset(&waiting, signal);
  sigprocmask(SIG_BLOCK, &waiting, &before);
  if (::mkdtemp(path.data())) return TemporaryFolder(std::move(path), before);
  const int error = errno;
  sigprocmask(SIG_SETMASK, &before, nullptr);
  return fail("TMPDIR: no folder can be made in " + parent + ": " + std::strerror(error) +
              " (expected a folder for temporary files, by default /tmp)");
}

TemporaryFolder::~TemporaryFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace emu::app
