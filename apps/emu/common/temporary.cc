#include "common/temporary.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "common/environment.h"

namespace emu::app {

Result<TemporaryFolder> TemporaryFolder::create() {
  std::string path = environment().temporary + "/emu-XXXXXX";
  sigset_t waiting, before;
  sigemptyset(&waiting);
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&waiting, signal);
  sigprocmask(SIG_BLOCK, &waiting, &before);
  if (::mkdtemp(path.data())) return TemporaryFolder(std::move(path), before);
  const int error = errno;
  sigprocmask(SIG_SETMASK, &before, nullptr);
  return fail(path + ": a folder cannot be created: " + std::strerror(error));
}

TemporaryFolder::~TemporaryFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace emu::app
