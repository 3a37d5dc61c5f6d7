#include "common/output.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

namespace emu::app {

Result<void> can_write(const std::string& path, const std::string& option) {
  if (path.empty() || path == "-") return {};
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return fail(option + ": " + path + " is a directory");
  const auto folder = std::filesystem::absolute(path, error).parent_path();
  const bool exists = std::filesystem::exists(path, error);
  if (::access(exists ? path.c_str() : folder.c_str(), W_OK) != 0)
    return fail(option + ": " + path + " cannot be written: " + std::strerror(errno));
  return {};
}

Result<void> write_text(const std::string& text, const std::string& path) {
  if (path == "-") {
    std::cout << text << std::flush;
    if (!std::cout) return fail("standard output: cannot be written");
    return {};
  }
  // The old file remains until the new text is complete: a full disk must not destroy it.
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path real = fs::weakly_canonical(path, error);
  const bool plain = !error && (fs::is_regular_file(real, error) || !fs::exists(real, error)) &&
                     ::access(real.parent_path().c_str(), W_OK) == 0;
  const fs::path to = plain ? fs::path(real.string() + "." + std::to_string(::getpid())) : fs::path(path);
  std::ofstream out(to, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (out && (!plain || std::rename(to.c_str(), real.c_str()) == 0)) return {};
  const int why = errno;
  if (plain) fs::remove(to, error);
  return fail(path + ": cannot be written: " + std::strerror(why));
}

}  // namespace emu::app
