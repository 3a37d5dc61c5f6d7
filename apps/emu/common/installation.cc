#include "common/installation.h"

#include <map>
#include <vector>

namespace emu::app {
namespace fs = std::filesystem;
namespace {

fs::path own_folder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

// `installed`, an absolute path of the configured installation, relative to the command's present location.
fs::path moved(const char* installed) {
  return (own_folder() / fs::path(installed).lexically_relative(EMU_BINDIR)).lexically_normal();
}

// The build tree has apps/emu/emu, libemu/libemu.so and config/.
fs::path build_root() { return own_folder().parent_path().parent_path(); }

// Folders of fictitious or published clusters, and of calibrated ones.
std::vector<fs::path> target_folders() {
  std::vector<fs::path> folders;
  for (const fs::path& folder : {build_root() / "config", moved(EMU_DATADIR)}) {
    folders.push_back(folder);
    folders.push_back(folder / "clusters");
  }
  return folders;
}

// The names of libemu's targets.
std::string known_targets() {
  std::string list;
  for (const fs::path& file : target_files()) list += (list.empty() ? "" : ", ") + file.stem().string();
  return list;
}

}  // namespace

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

std::vector<fs::path> target_files() {
  std::map<std::string, fs::path> files;  // by name; the first folder takes precedence
  for (const fs::path& folder : target_folders()) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
      if (entry.path().extension() == ".toml") files.try_emplace(entry.path().stem(), entry.path());
  }
  std::vector<fs::path> result;
  for (const auto& [name, file] : files) result.push_back(file);
  return result;
}

Result<fs::path> shim_path() {
  const fs::path places[] = {build_root() / "libemu" / "libemu.so", moved(EMU_LIBDIR) / "libemu.so"};
  for (const fs::path& place : places)
    if (is_file(place)) return place;
  return fail("libemu.so was not found: neither " + places[0].string() + " nor " + places[1].string() +
              " exists");
}

Result<fs::path> recorder_path() {
  const fs::path places[] = {build_root() / "apps" / "emu" / "skeleton" / "libemu-skeleton.so",
                             moved(EMU_LIBDIR) / "libemu-skeleton.so"};
  for (const fs::path& place : places)
    if (is_file(place)) return place;
  return fail("libemu-skeleton.so was not found: neither " + places[0].string() + " nor " +
              places[1].string() + " exists");
}

Result<fs::path> tool_path(const std::string& folder, const std::string& name) {
  const fs::path places[] = {build_root() / "apps" / folder / name, own_folder() / name};
  for (const fs::path& place : places)
    if (is_file(place)) return place;
  return fail(name + " was not found: neither " + places[0].string() + " nor " + places[1].string() +
              " exists");
}

Result<fs::path> target_path(const std::string& name) {
  std::error_code error;
  const bool bare = name.find('/') == std::string::npos;
  // An existing path is the user's choice, even if it is invalid: reading it will report the error.
  if (!name.empty() && fs::exists(name, error) && !(bare && fs::is_directory(name, error)))
    return fs::canonical(name, error);
  if (bare && !name.empty()) {
    for (const fs::path& folder : target_folders())
      for (const std::string& file : {name, name + ".toml"})
        if (is_file(folder / file)) return folder / file;
  }
  return fail("target: no such file: \"" + name + "\"" +
              (bare ? ", and no target of that name comes with libemu; those are: " + known_targets() : ""));
}

}  // namespace emu::app
