#include "temporary.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace emu::app {

Result<TemporaryFolder> TemporaryFolder::create() {
  const char* parent = std::getenv("TMPDIR");
  std::string path = std::string(parent && *parent ? parent : "/tmp") + "/emu-XXXXXX";
  if (!::mkdtemp(path.data())) return fail(path + ": a folder cannot be created: " + std::strerror(errno));
  return TemporaryFolder(std::move(path));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace emu::app
