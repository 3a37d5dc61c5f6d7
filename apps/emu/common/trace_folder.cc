#include "common/trace_folder.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "common/output.h"

namespace emu::app {
namespace fs = std::filesystem;
namespace {

bool part_of_trace(const fs::path& file) {
  const std::string name = file.filename();
  if (name == fs::path(record::summary_of_trace("")).filename()) return true;
  for (const std::string part : {"rank.", "program."})
    if (name.starts_with(part) && name.size() > part.size() &&
        name.find_first_not_of("0123456789", part.size()) == std::string::npos)
      return true;
  return false;
}

}  // namespace

std::vector<std::string> files_of_trace(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (part_of_trace(entry->path())) files.push_back(entry->path());
  return files;
}

Result<void> can_record(const std::string& folder) {
  if (const auto named = names_folder({"--trace", folder}); !named) return named;
  std::error_code error;
  const fs::path path = fs::absolute(folder, error).lexically_normal();
  if (!fs::exists(path, error)) {
    const fs::path parent = path.has_filename() ? path.parent_path() : path.parent_path().parent_path();
    if (::access(parent.c_str(), W_OK) != 0)
      return fail("--trace: the folder " + folder + " cannot be made: " + std::strerror(errno));
    return {};
  }
  if (!fs::is_directory(path, error)) return fail("--trace: " + folder + ": not a folder");
  if (::access(path.c_str(), W_OK) != 0)
    return fail("--trace: the folder " + folder + " cannot be written: " + std::strerror(errno));
  for (const fs::directory_entry& entry : fs::directory_iterator(path, error))
    if (!part_of_trace(entry.path()))
      return fail("--trace: the folder " + folder + " holds other files (" +
                  entry.path().filename().string() + "); name a new one");
  return {};
}

Result<void> prepare_recording(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return fail("--trace: the folder " + folder + " cannot be made: " + error.message());
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (part_of_trace(entry.path())) fs::remove(entry.path(), error);
  if (error) return fail("--trace: an older trace in " + folder + " cannot be removed: " + error.message());
  return {};
}

Result<void> check_recording(const record::RunSummary& run, const std::string& folder) {
  const auto cut = std::count_if(run.ranks.begin(), run.ranks.end(),
                                 [](const record::RankSummary& rank) { return rank.doubts.cut_traces > 0; });
  if (cut == 0) return {};
  return fail(folder + ": the trace is incomplete: " + std::to_string(cut) + " of " +
              std::to_string(run.ranks.size()) + " ranks could not write it to its end");
}

}  // namespace emu::app
