#include "program/search_path.h"

#include <unistd.h>

#include <sstream>

#include "common/environment.h"
#include "common/installation.h"

namespace emu::app {
namespace fs = std::filesystem;

fs::path on_search_path(const std::string& name) {
  std::istringstream folders(environment().path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path candidate = fs::path(folder.empty() ? "." : folder) / name;
    if (is_file(candidate) && ::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

Result<fs::path> program_path(const std::string& name) {
  fs::path path = name;
  if (name.find('/') == std::string::npos) {
    if (const fs::path found = on_search_path(name); !found.empty()) return found;
    path = fs::path(".") / name;
  }
  std::error_code error;
  if (name.empty() || !fs::exists(path, error)) return fail(name + ": no such program");
  if (fs::is_directory(path, error)) return fail(name + ": is a directory, not a program");
  if (!is_file(path)) return fail(name + ": not a program (not a regular file)");
  if (::access(path.c_str(), X_OK) != 0)
    return fail(name + ": is not executable; if it is a program: chmod +x " + path.string());
  return path;
}

}  // namespace emu::app
