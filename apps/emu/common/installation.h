// Locations of libemu's parts: beside this command in the build tree, or installed. Both are relative to the running
// command, so that a moved installation works.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/failure.h"

namespace emu::app {

// True for a regular file, and for a link to one.
bool is_file(const std::filesystem::path& path);

// The shared object with libemu for LD_PRELOAD.
Result<std::filesystem::path> shim_path();

// The shared object with the recorder of skeletons for LD_PRELOAD.
Result<std::filesystem::path> recorder_path();

// A program of libemu: `name`, which the build tree has in apps/`folder`.
Result<std::filesystem::path> tool_path(const std::string& folder, const std::string& name);

// The target file for `name`: the file of that name, or, for a name without a slash, the target NAME or
// NAME.toml that belongs to libemu. Absolute. A failure lists the known targets.
Result<std::filesystem::path> target_path(const std::string& name);
// The files of all targets of libemu, by name.
std::vector<std::filesystem::path> target_files();

}  // namespace emu::app
