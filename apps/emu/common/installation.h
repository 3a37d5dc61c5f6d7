// Places of libemu's parts: beside this command in the build tree, or installed. Both are found from the place of the
// running command itself, so that a moved installation works.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/failure.h"

namespace emu::app {

// The shared object that carries libemu into a program, for LD_PRELOAD.
Result<std::filesystem::path> shim_path();

// The shared object that records what a program asks of MPI, for LD_PRELOAD.
Result<std::filesystem::path> recorder_path();

// A program that comes with libemu: `name`, which the build tree has in apps/`folder`.
Result<std::filesystem::path> tool_path(const std::string& folder, const std::string& name);

// The target file that `name` means: the file of that name, or else for a name without a slash the target
// NAME or NAME.toml that came with libemu. Absolute. The failure lists the targets there are.
Result<std::filesystem::path> target_path(const std::string& name);
// The files of all targets that came with libemu, by name.
std::vector<std::filesystem::path> target_files();

// The program that `name` means to a shell, or else a file in the current directory: as it is to be
// started, that is with a slash in it. Failure if there is none, or it must not be executed.
Result<std::filesystem::path> program_path(const std::string& name);

// The executable `name` along PATH; empty if there is none.
std::filesystem::path on_search_path(const std::string& name);

}  // namespace emu::app
