#include "common/output.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

namespace emu::app {

namespace fs = std::filesystem;
namespace {

Result<void> can_write(const NamedFile& output) {
  const auto& [option, path] = output;
  std::error_code error;
  if (fs::is_directory(path, error)) return fail(option + ": " + path + " is a directory");
  // The slash at the end: a file is no folder.
  const auto folder = fs::absolute(path, error).parent_path() / "";
  const bool exists = fs::exists(path, error);
  if (::access(exists ? path.c_str() : folder.c_str(), W_OK) != 0)
    return fail(option + ": " + path + " cannot be written: " + std::strerror(errno));
  return {};
}

// Devices keep nothing.
bool same_file(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty() || a == "-" || b == "-") return false;
  std::error_code error;
  if (fs::exists(a, error) && !fs::is_regular_file(a, error)) return false;
  return fs::weakly_canonical(fs::absolute(a, error), error) ==
         fs::weakly_canonical(fs::absolute(b, error), error);
}

}  // namespace

Result<void> can_write(const std::vector<NamedFile>& outputs, const std::vector<NamedFile>& inputs) {
  for (auto output = outputs.begin(); output != outputs.end(); ++output) {
    const auto& [option, path] = *output;
    if (path.empty()) continue;
    if ((option == "--picture" || option == "--heat-map") && !path.ends_with(".png") &&
        !path.ends_with(".svg"))
      return fail(option + ": invalid value: " + path + " (expected a file name that ends in .png or .svg)");
    if (path == "-") {
      const auto other =
          std::find_if(outputs.begin(), output, [](const NamedFile& o) { return o.path == "-"; });
      if (other != output)
        return fail(option + ": the output of " + other->option +
                    " goes to standard output (expected a file)");
      continue;
    }
    if (const auto writable = can_write(*output); !writable) return writable;
    const auto is_this = [&path = path](const NamedFile& other) { return same_file(path, other.path); };
    if (const auto input = std::find_if(inputs.begin(), inputs.end(), is_this); input != inputs.end())
      return fail(option + ": " + path + " would replace " + input->option + " (expected another name)");
    if (const auto first = std::find_if(outputs.begin(), output, is_this); first != output)
      return fail(option + ": " + path + " would replace the file of " + first->option +
                  " (expected another name)");
  }
  return {};
}

bool on_standard_output(const std::vector<std::string>& paths) {
  return std::find(paths.begin(), paths.end(), "-") != paths.end();
}

Result<void> names_folder(const NamedFile& folder) {
  if (folder.path.empty()) return fail(folder.option + ": the folder's name is empty");
  if (folder.path == "-")
    return fail(folder.option + ": invalid value: - (expected the name of a folder, not standard output)");
  return {};
}

Result<void> can_read(const NamedFile& input) {
  const auto& [option, path] = input;
  std::error_code error;
  if (fs::is_directory(path, error)) return fail(option + ": " + path + " is a directory (expected a file)");
  if (fs::is_character_file(path, error))
    return fail(option + ": " + path + " is a device (expected a file)");
  if (!fs::is_regular_file(path, error)) return {};  // reading from a pipe would consume its contents
  std::string begin(std::size_t{4} << 10, ' ');
  std::ifstream(path, std::ios::binary).read(begin.data(), std::ssize(begin));
  if (begin.find('\0') != std::string::npos)
    return fail(option + ": " + path + " is not a text file (expected UTF-8)");
  return {};
}

Result<void> write_text(const std::string& text, const std::string& path) {
  if (path == "-") {
    std::cout << text << std::flush;
    if (!std::cout) return fail("standard output: cannot be written");
    return {};
  }
  // The old file remains until the new text is complete: a full disk must not destroy it.
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
